// The table of options and operands that name a command. To add a program, add a row.
#pragma once

#include <string_view>

#include "parse/wrappers.h"

namespace husk::parse {

// Lists are separated by spaces.
struct Carrying {
    std::string_view programs;  // "git-rebase" is also `git rebase`
    // "-I" and "--to-command" are options, alone or in a cluster, and take the next word unless
    // their value is in the same word. "-O=" never takes the next word. "*" is every word.
    std::string_view options;
    std::string_view with_value = {};  // letters of other short options that take a value
    // The value is a command only behind one of these, in upper or lower case: "exec" for
    // `--checkpoint-action=exec=x`. Empty: always.
    std::string_view starts = {};
    Carried::Kind kind = Carried::Kind::Code;
};

constexpr Carrying carrying_table[] = {
    // bash
    {"mapfile readarray", "-C", "dnOsuc"},
    {"compgen complete", "-C", "oAGWFXPS"},
    {"su", "-c --command --session-command", "gGsTw"},
    {"runuser", "-c --command --session-command", "gGsTwu"},
    {"script", "-c --command", "EIOBTm"},
    {"sg", "-c"},
    // archives and files
    {"tar gtar",
     "-I -F --use-compress-program --info-script --new-volume-script --to-command --rsh-command",
     "bCfgHKLNTVX"},
    {"tar gtar", "--checkpoint-action", "", "exec"},
    {"tar gtar", "--rmt-command", "", "", Carried::Kind::Remote},
    {"bsdtar", "--use-compress-program"},
    {"cpio", "--rsh-command"},
    {"zip", "-TT --unzip-command"},
    {"split", "--filter"},
    {"sort", "--compress-program"},
    {"rg", "--pre --hostname-bin"},
    {"fzf", "--preview"},
    // other machines
    {"rsync", "-e --rsh", "BfMT"},
    {"rsync", "--rsync-path", "", "", Carried::Kind::Remote},
    {"ssh", "-o", "BbcDEeFIiJLlmOpQRSWw", "proxycommand localcommand knownhostscommand"},
    {"ssh", "-o", "BbcDEeFIiJLlmOpQRSWw", "remotecommand", Carried::Kind::Remote},
    {"scp sftp", "-S -D", "BbcFiJloPRsX"},
    {"scp sftp", "-o", "BbcDFiJlPRSsX", "proxycommand localcommand knownhostscommand"},
    {"sshfs", "-o", "pF", "ssh_command proxycommand localcommand knownhostscommand"},
    {"mosh", "--ssh"},
    {"nc netcat ncat", "-e -c --exec --sh-exec", "bdgGikmoOpqsTVwx"},
    {"socat", "*", "", "exec: system: shell:"},
    {"wget", "--use-askpass"},
    {"lftp", "-e -c", "fups", "!"},
    // programs with commands of their own
    {"vim vi view vimdiff nvim ex gvim rvim", "-c --cmd", "dirsSTtuUwW", "! :! %! r!"},
    {"vim vi view vimdiff nvim ex gvim rvim", "*", "", "+! +:!"},
    {"less", "*", "", "+!"},
    {"man", "-P -H= --pager --html=", "CELmMprRsST"},
    {"gdb",
     "-ex -iex -eiex --ex --iex --eiex -eval-command --eval-command -init-eval-command "
     "--init-eval-command",
     "", "shell !"},
    {"ed red", "*", "", "!"},
    {"psql", "-c --command", "dfvLoFPRThpUXw", "\\!"},
    {"mysql mariadb", "-e --execute", "DhPpSu", "\\! system"},
    {"sqlite3", "*", "", ".shell .system"},
    {"dpkg", "--pre-invoke --post-invoke --status-logger"},
    {"strace", "-o --output", "aeIOpPsSuEbXU", "| !"},
    {"gh", "*", "", "!"},
    {"tcpdump", "-z", "BcCEFGijmMrsTVwWy"},
    {"start-stop-daemon", "-x -a --exec --startas", "cdgIknNprRsuP"},
    {"iptables ip6tables", "--modprobe"},
    // what builds
    {"make gmake", "*", "", "shell="},
    {"go", "-exec --exec -toolexec --toolexec -vettool --vettool"},
    {"gcc g++ cc c++", "-wrapper"},
    {"cargo", "--config", "",
     "build.rustc-workspace-wrapper build.rustc-wrapper build.rustdoc build.rustc"},
    {"npm pnpm", "--script-shell"},
    {"apt apt-get", "-o --option", "acht",
     "apt::update::pre-invoke:: apt::update::post-invoke:: dpkg::pre-invoke:: "
     "dpkg::post-invoke::"},
    {"svn", "--diff-cmd --diff3-cmd --editor-cmd"},
    // git
    {"git", "*", "", "ext::"},
    {"git",
     "--upload-pack --receive-pack --exec --extcmd --tree-filter --index-filter --msg-filter "
     "--env-filter --parent-filter --commit-filter --tag-name-filter --setup --sendmail-cmd "
     "--to-cmd --cc-cmd --header-cmd --access-hook --open-files-in-pager="},
    {"git-rebase", "-x", "CXrsS"},
    {"git-clone", "-u", "bcjo"},
    {"git-difftool", "-x", "gtS"},
    {"git-grep", "-O=", "ABCefm"},
    {"git-instaweb", "-d -b --httpd --browser", "pm"},
    {"git-web--browse", "-b -t --browser --tool", "c"},
    {"git-shell", "-c"},
    {"git-remote-ext", "*"},
    {"git-send-email", "--smtp-server", "", "/"},
};

}  // namespace husk::parse
