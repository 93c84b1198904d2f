// What husk.yaml, variables and flags say, as one value in which everything knows its origin.
#pragma once

#include <husk/request.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "request/rule_texts.h"

namespace husk::config {

// Where a value came from.
struct Origin {
    enum class Kind { BuiltIn, Contract, File, Variable, Flag, Call };
    Kind kind = Kind::BuiltIn;
    std::string name = {};  // of the contract, the file, the variable or the flag
    size_t line = 0;        // in the file, from 1

    bool operator==(const Origin&) const = default;
};

inline Origin from_file(const Where& where) { return {Origin::Kind::File, where.file, where.line}; }
inline Origin from_flag(std::string name) { return {Origin::Kind::Flag, std::move(name), 0}; }

// "built in", "contract yoi", "/home/u/.config/husk/husk.yaml:3", "$HUSK_STATE", "--mode", "the
// call"
std::string to_text(const Origin& origin);

template <class T>
struct Setting {
    T value = {};
    Origin origin = {};

    // By somebody; not by Husk itself.
    bool is_given() const {
        return origin.kind != Origin::Kind::BuiltIn && origin.kind != Origin::Kind::Contract;
    }
};

// No value is no limit.
using Time = std::optional<std::chrono::milliseconds>;
using Amount = std::optional<uint64_t>;
using Texts = std::vector<Setting<std::string>>;
// No value: taken out of the environment.
using Variables = std::map<std::string, Setting<std::optional<std::string>>>;

// As it is made, it holds what is built in; that is also what a file says that says nothing.
// Paths are as they were written: `~/x`, or relative to the workspace.
struct Settings {
    Setting<std::string> contract{"husk"};
    Setting<std::string> tools{"few"};  // or full
    Setting<Mode> mode{Mode::Workspace};
    Setting<Network> network;
    Setting<std::string> place{"host"};    // or container
    Setting<std::string> engine_socket;    // empty: the usual one
    Setting<std::string> container_image;  // there is none that could be assumed
    Texts write;
    Setting<std::string> cache;  // that sessions share; empty: none
    Texts read;
    Texts protect;
    Texts sockets;
    Texts devices;
    Texts publish;  // ports
    Setting<Amount> scratch{1ULL << 30};
    Texts accept;                        // holes that may stay open
    Setting<std::string> denials{"on"};  // or off

    Setting<Time> idle;  // limits
    Setting<Time> cpu;
    Setting<Amount> memory;
    Setting<Amount> processes;
    Setting<Amount> open_files;
    Setting<Amount> file_size;
    Setting<Amount> disk;
    Setting<Amount> output;
    Setting<Time> timeout;          // of a call that gives none
    Setting<Time> longest_timeout;  // that a call may ask for

    Setting<Amount> shown_output;
    Setting<Amount> kept_output;
    Setting<std::string> working_directory;  // empty: where the caller is
    Texts pass;                              // names that reach closed modes all the same
    Variables variables;
    Setting<std::string> state;  // empty: $XDG_STATE_HOME/husk
    Setting<Amount> quota;
    Setting<Time> linger;
    Setting<Time> max_lifetime;
    Setting<std::string> output_dir;         // of the contract yoi alone; empty: the shell's log
    Setting<std::string> memo{"read-only"};  // or writable; of the contract agentrail alone
    // Of the contract docware alone.
    // Empty: every command, every path. One entry without text: none.
    Texts command_whitelist;
    Texts allowed_paths;
    Setting<Amount> max_cpu_usage{80};
    Setting<std::string> preserve_environment{"off"};  // or on: calls start from the caller's
    Setting<std::string> streaming{"on"};              // or off
    Setting<std::string> threats{"block"};             // or tell
    Setting<std::string> security_level{"high"};       // or medium, low, none
    Setting<std::string> docware_monitoring{"on"};
    Setting<std::string> docware_auditing{"on"};
    Setting<std::string> docware_log_level{"off"};
    Setting<std::string> docware_shell{"/bin/bash"};
    // These take the place of `mode`, `timeouts.default`, `limits` and `working_directory`.
    Setting<std::string> docware_sandbox{"on"};
    Setting<Time> docware_timeout{std::chrono::seconds(30)};
    Setting<Amount> docware_output{10ULL << 20};
    Setting<Amount> docware_memory{1ULL << 30};
    Setting<Amount> docware_processes{10};
    Setting<Amount> docware_open_files{1000};
    Setting<std::string> docware_directory;
    RuleTexts rules;
    Origin packs_origin;  // of packs in `rules` that no file speaks of

    Settings();
};

}  // namespace husk::config
