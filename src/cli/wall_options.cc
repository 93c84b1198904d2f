#include "cli/wall_options.h"

#include "cli/setting_option.h"
#include "request/setting_keys.h"

namespace husk::cli {
namespace {

void add_paths(CLI::App& app, const std::string& option, config::Texts& paths,
               const char* description) {
    app.add_option_function<std::vector<std::string>>(
           option,
           [option, &paths](const std::vector<std::string>& texts) {
               for (const std::string& text : texts) {
                   if (text.empty()) throw CLI::ValidationError(option, "\"\" is no path");
                   paths.push_back({text, config::from_flag(option)});
               }
           },
           description)
        ->allow_extra_args(false);
}

void add_ports(CLI::App& app, config::Settings& flags) {
    app.add_option_function<std::vector<std::string>>(
           "--publish",
           [&flags](const std::vector<std::string>& ports) {
               for (const std::string& port : ports) {
                   if (!config::port_of(port))
                       throw CLI::ValidationError("--publish", "\"" + port + "\" is no port");
                   flags.publish.push_back({port, config::from_flag("--publish")});
               }
           },
           "A port of the session that the host's loopback shows; may be repeated")
        ->delimiter(',')
        ->allow_extra_args(false);
}

}  // namespace

void add_wall_options(CLI::App& app, config::Settings& flags) {
    add_setting(app, "--mode", flags, "mode",
                "What the command may touch: read-only, workspace (default), open");
    add_setting(app, "--network", flags, "network",
                "In a closed mode: none (default), open, or hosts such as example.org,*.x.org:443");
    add_paths(app, "--write", flags.write,
              "One more directory that may be written; may be repeated");
    add_paths(app, "--read", flags.read, "A secret that may be read all the same; may be repeated");
    add_paths(app, "--protect", flags.protect, "Stays read-only in every mode; may be repeated");
    add_paths(app, "--allow-socket", flags.sockets,
              "A unix socket outside of the session that may be connected to; may be repeated");
    add_paths(app, "--device", flags.devices,
              "A device that may be opened, such as /dev/kvm; may be repeated");
    add_ports(app, flags);
    add_setting(app, "--scratch", flags, "scratch",
                "The size of the session's private memory for HOME, /tmp, /var/tmp and /dev/shm: "
                "1G (default)");
    app.add_option_function<std::vector<std::string>>(
           "--accept",
           [&flags](const std::vector<std::string>& holes) {
               for (const std::string& hole : holes)
                   flags.accept.push_back({hole, config::from_flag("--accept")});
           },
           "A hole that may stay open where this machine cannot close it: signals, metadata, "
           "protected-paths")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_setting(app, "--denials", flags, "denials",
                "Whether to note what the walls stop: on (default), off");
}

void add_place_option(CLI::App& app, config::Settings& flags) {
    add_setting(app, "--place", flags, "place",
                "Where commands run: host (default), container; see docs/places.md");
}

}  // namespace husk::cli
