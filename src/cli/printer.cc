#include "cli/printer.h"

#include <unistd.h>

#include <chrono>
#include <csignal>

#include "base/utf8.h"
#include "cli/terminal.h"
#include "render/report_json.h"

namespace husk::cli {
namespace {

nlohmann::ordered_json output_event(const OutputPiece& piece, bool split) {
    nlohmann::ordered_json event;
    event["event"] = "output";
    event["stream"] = !split ? "merged" : piece.errors ? "stderr" : "stdout";
    event["offset"] = piece.offset;
    event["bytes"] = piece.bytes.size();
    if (piece.dropped_before > 0) event["dropped_before"] = piece.dropped_before;
    event["text"] = text::to_utf8(piece.bytes);
    return event;
}

}  // namespace

void Printer::print(int fd, const std::string& text) {
    write(fd, filters_[fd == STDERR_FILENO ? 1 : 0].pass(text));
}

void Printer::end_output() {
    write(STDOUT_FILENO, filters_[0].finish());
    write(STDERR_FILENO, filters_[1].finish());
}

void Printer::write(int fd, const std::string& bytes) {
    const Wrote wrote = write_until(fd, bytes, [this] { return stop_.stop_requested(); });
    torn_ = wrote == Wrote::Part;
    if (wrote != Wrote::NobodyReads) return;
    received_->store(SIGPIPE);
    stop_.request_stop();
}

void Printer::print_event(OutputPiece piece, bool split) {
    OutputPiece& held = held_[piece.errors ? 1 : 0];
    if (piece.dropped_before > 0) {
        print_held(split);
    } else if (!held.bytes.empty()) {
        piece.bytes.insert(0, held.bytes);
        piece.offset = held.offset;
    }
    const size_t whole = text::without_torn_end(piece.bytes).size();
    held = {piece.errors, piece.offset + whole, piece.bytes.substr(whole), 0};
    piece.bytes.resize(whole);
    if (whole > 0) print(STDOUT_FILENO, render::dump(output_event(piece, split)) + "\n");
}

void Printer::print_held(bool split) {
    for (OutputPiece& held : held_) {
        if (held.bytes.empty()) continue;
        print(STDOUT_FILENO, render::dump(output_event(held, split)) + "\n");
        held.bytes.clear();
    }
}

void Printer::finish(const std::string& line) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    const auto enough = [&] {
        return stop_.stop_requested() && std::chrono::steady_clock::now() >= end;
    };
    OutputFilter filter(STDOUT_FILENO, Escapes::Filtered);
    write_until(STDOUT_FILENO, filter.pass((torn_ ? "\n" : "") + line + "\n"), enough);
}

}  // namespace husk::cli
