// Programs that run whatever their arguments say: who allows them allows everything.
#pragma once

#include <string_view>

#include "base/names.h"

namespace husk::decide {

constexpr bool runs_what_it_is_told(std::string_view program) {
    return program.starts_with("python3.") ||
           is_one_of(program,
                     // shells and their own ways to run a text
                     "bash sh dash zsh ksh ash mksh fish eval exec source . trap "
                     // interpreters
                     "python python2 python3 perl ruby node nodejs deno bun php lua tclsh awk gawk "
                     "mawk osascript pwsh Rscript irb ghci julia java "
                     // those that start another program
                     "env xargs parallel sudo su doas pkexec runuser setsid nohup nice timeout "
                     "watch flock script ssh chroot unshare nsenter systemd-run busybox toybox "
                     "strace gdb npx bunx pnpx uvx pipx command builtin time stdbuf ionice "
                     "at batch crontab tmux screen expect");
}

}  // namespace husk::decide
