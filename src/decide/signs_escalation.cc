// Signs of privilege escalation: a file gets another owner, a list of accounts is read, a namespace
// makes the user root.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/files.h"
#include "decide/path.h"
#include "decide/signs.h"

namespace husk::decide {
namespace {

using parse::Via;
using parse::Word;

constexpr double sure = 0.9;

bool is_elsewhere(const Scene& scene) { return comes_via(scene.script, scene.index, Via::Remote); }

// Account numbers from 1000 on belong to people, usually to the user who types the command.
bool is_another_account(std::string_view name) {
    constexpr unsigned first_person = 1000;
    if (name.starts_with('+')) name.remove_prefix(1);
    if (name.empty()) return false;
    unsigned number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool is_number = error == std::errc() && end == name.data() + name.size();
    return !is_number || number < first_person;
}

// root, root:adm, :adm, 0:0. Of root:$x only the first is known.
bool names_another_account(const Word& word) {
    const std::string text = word.known_start();
    const size_t colon = text.find(':');
    if (!word.known() && colon == std::string::npos) return false;
    if (is_another_account(std::string_view(text).substr(0, colon))) return true;
    return word.known() && colon != std::string::npos &&
           is_another_account(std::string_view(text).substr(colon + 1));
}

// chown --reference=/etc/passwd: what lies there belongs to root, or to an account of a service.
bool is_of_the_system(const Word& file, const Context& context) {
    const std::string path = known_absolute(path_of(file, context), context);
    if (!path.starts_with('/')) return false;
    const std::string_view top = std::string_view(path).substr(1, path.find('/', 1) - 1);
    return is_one_of(top, "etc usr bin sbin lib lib64 boot root var proc sys dev");
}

std::optional<std::string> new_owner(const Scene& scene) {
    static constexpr std::array<std::string_view, 5> with_value = {"owner", "group", "from", "mode",
                                                                   "reference"};
    const std::string program = scene.command.program();
    if (!is_one_of(program, "chown chgrp install") || is_elsewhere(scene)) return std::nullopt;
    const bool installs = program == "install";
    const Arguments arguments =
        read_arguments(arguments_of(scene.command), {installs ? "mogtS" : "", with_value});
    std::vector<Word> owners;
    if (installs) {
        for (const char* name : {"o", "owner", "g", "group"})
            for (Word& owner : arguments.values_of(name)) owners.push_back(std::move(owner));
    } else if (const Word* model = arguments.value_of("reference")) {
        return found_if(is_of_the_system(*model, scene.context), scene.command.text);
    } else if (!arguments.operands.empty() && !arguments.has("reference", 1)) {
        owners.push_back(arguments.operands.front());
    }
    return found_if(std::ranges::any_of(owners, names_another_account), scene.command.text);
}

std::optional<std::string> account_file(const Scene& scene) {
    if (is_elsewhere(scene)) return std::nullopt;
    for (const FileTouch& touch : file_touches(scene.command)) {
        const std::string path = known_absolute(path_of(touch.path, scene.context), scene.context);
        const bool tells = is_one_of(path, "/etc/shadow /etc/gshadow /etc/sudoers") ||
                           path.starts_with("/etc/sudoers.d/") || path.starts_with("/root/.ssh/");
        if (tells && touch.operation == Operation::Read) return touch.path.shown();
    }
    return std::nullopt;
}

std::optional<std::string> other_group(const Scene& scene) {
    const bool changes = is_one_of(scene.command.program(), "newgrp sg machinectl") &&
                         scene.command.words.size() > 1;
    return found_if(changes && !is_elsewhere(scene), scene.command.text);
}

std::optional<std::string> own_root(const Scene& scene) {
    if (scene.command.program() != "unshare" || is_elsewhere(scene)) return std::nullopt;
    const bool maps = std::ranges::any_of(arguments_of(scene.command), [](const Word& word) {
        const std::string text = word.known_start();
        const bool letters = text.starts_with('-') && !text.starts_with("--") &&
                             text.find_first_of("rU") != std::string::npos;
        return letters || text.starts_with("--map-") || text == "--user";
    });
    return found_if(maps, scene.command.text);
}

// setpriv --reuid=0 ls
std::optional<std::string> other_account(const Scene& scene) {
    if (scene.command.program() != "setpriv" || is_elsewhere(scene)) return std::nullopt;
    const bool changes = std::ranges::any_of(arguments_of(scene.command), [](const Word& word) {
        const std::string text = word.known_start();
        return is_one_of(std::string_view(text).substr(0, text.find('=')),
                         "--reuid --ruid --euid --regid --rgid --egid --groups --init-groups");
    });
    return found_if(changes, scene.command.text);
}

constexpr std::array checks = {
    Check{"escalation/owner", Decision::Allow, Severity::Critical, sure,
          "A file gets the owner or the group of another account ({}).",
          "Leave files to the account that works with them.", new_owner},
    Check{"escalation/account-file", Decision::Allow, Severity::Critical, sure,
          "{} tells who may do what on this machine.", "", account_file},
    Check{"escalation/group", Decision::Allow, Severity::Critical, sure,
          "This works with the rights of another group or machine ({}).", "", other_group},
    Check{"escalation/other-account", Decision::Allow, Severity::Critical, sure,
          "This runs something with the rights of another account ({}).",
          "Run it as yourself, or ask the user to do this step.", other_account},
    Check{"escalation/own-root", Decision::Allow, Severity::Critical, sure,
          "This makes a namespace in which the user is root ({}).", "", own_root},
};

}  // namespace

constinit const Pack escalation_signs = {
    .name = "escalation",
    .about = "steps towards more rights",
    .on_by_default = false,
    .checks = checks,
};

}  // namespace husk::decide
