// Husk: run an agent's shell commands exactly, and tell the truth about what happened.
//
//     husk::Bash bash;
//     const husk::Report report = bash.run({.command = "make -j2"});
//
#pragma once

#include "approval.h"
#include "bash.h"
#include "report.h"
#include "request.h"
#include "shells.h"
#include "tools.h"
