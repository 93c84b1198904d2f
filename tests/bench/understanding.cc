#include "understanding.h"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>

#include "decide/decide.h"
#include "parse/script.h"

namespace husk::bench {
namespace {

// About 200 bytes, of the kind that agents write.
const std::string command =
    "cd /srv/app && git fetch --all --prune && git checkout \"release/$VERSION\" && npm ci "
    "--no-audit"
    " && npm run build -- --mode=production 2>&1 | tee build.log | grep -E 'error|warning' || true";

std::string script_of(size_t bytes) {
    std::string script;
    for (int i = 0; script.size() < bytes; ++i) {
        script += "f" + std::to_string(i) + "() {\n    local x=$(" + command + ")\n";
        script +=
            "    for y in a b \"${x:-`date`}\"; do [[ $y == *.c ]] && rm -f \"$y\"; done\n}\n";
    }
    return script;
}

decide::Rules everyday_rules() {
    RuleTexts texts;
    for (const char* rule : {"Bash(git:*)", "Bash(npm run *)", "Bash(cd:*)", "Bash(ls:*)"})
        texts.allow.push_back({rule, {"husk.yaml", 1}});
    texts.ask.push_back({"Bash(git push:*)", {"husk.yaml", 2}});
    texts.deny.push_back({"Bash(rm -rf *)", {"husk.yaml", 3}});
    for (const char* pack :
         {"git", "rm", "system", "destroyers", "escalation", "exfiltration", "injection"})
        texts.packs[pack] = true;
    return decide::compile(texts).rules;
}

double seconds_of_one(const std::string& text, const decide::Rules& rules, size_t rounds) {
    const decide::Context context{"/srv/app", "/home/me"};
    const auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < rounds; ++i)
        static_cast<void>(decide::decide(parse::parse(text), rules, context));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return took.count() / static_cast<double>(rounds);
}

// As many rules as a careless generator writes, half of them with stars everywhere.
decide::Rules many_rules() {
    RuleTexts texts;
    for (size_t i = 0; i < 3000; ++i) {
        const std::string number = std::to_string(i);
        const std::string rule =
            i % 2 == 0 ? "Bash(*a*b*c*d*e*" + number + ")" : "Bash(x" + number + " *a*b*c*)";
        texts.deny.push_back({rule, {"husk.yaml", i}});
    }
    return decide::compile(texts).rules;
}

double resident_mib() {
    std::ifstream file("/proc/self/statm");
    double total = 0;
    double resident = 0;
    file >> total >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace

void understanding(std::vector<Figure>& figures, size_t rounds) {
    const decide::Rules rules = everyday_rules();
    seconds_of_one(command, rules, rounds / 100);
    const double before = resident_mib();
    const double one = seconds_of_one(command, rules, rounds);
    const double growth = resident_mib() - before;
    figures.push_back({"parse and decide 200 bytes", one * 1e6, "us", 100, true});
    figures.push_back(
        {"memory after " + std::to_string(rounds) + " of them", growth, "MiB", 1, true});
    constexpr size_t large = 100 * 1024;
    figures.push_back({"parse and decide 100 KB", seconds_of_one(script_of(large), rules, 10) * 1e3,
                       "ms", 50, true});
    std::string words = "echo $x";
    while (words.size() < large) words += " abcdefgh";
    figures.push_back({"decide 100 KB with 3000 rules of many stars",
                       seconds_of_one(words, many_rules(), 1) * 1e3, "ms", 2000, true});
}

}  // namespace husk::bench
