// How a tree is ended: asked once, then killed in rounds until nothing is left.
// A pure function; the keeper asks it and does what it says.
#pragma once

#include <stdint.h>

namespace ladder {

enum class State : uint32_t { Standing, Asked, Killing, GaveUp };
enum class Event : uint32_t { Stop, StopHard, PatienceOver, RoundsOver };
enum class Action : uint32_t { None, Ask, Kill };

struct Step {
    State state;
    Action action;
};

constexpr Step advance(State state, Event event) {
    if (event == Event::RoundsOver) {
        return state == State::Killing ? Step{State::GaveUp, Action::None}
                                       : Step{state, Action::None};
    }
    if (event == Event::StopHard && (state == State::Standing || state == State::Asked))
        return {State::Killing, Action::Kill};
    if (event == Event::Stop && state == State::Standing) return {State::Asked, Action::Ask};
    if (event == Event::PatienceOver && state == State::Asked)
        return {State::Killing, Action::Kill};
    return {state, Action::None};
}

static_assert(advance(State::Standing, Event::Stop).action == Action::Ask);
static_assert(advance(State::Asked, Event::Stop).action == Action::None);  // asking twice: nothing
static_assert(advance(State::Asked, Event::StopHard).action == Action::Kill);
static_assert(advance(State::Asked, Event::PatienceOver).action == Action::Kill);
static_assert(advance(State::Killing, Event::Stop).action == Action::None);
static_assert(advance(State::Killing, Event::RoundsOver).state == State::GaveUp);
static_assert(advance(State::Standing, Event::PatienceOver).action == Action::None);

}  // namespace ladder
