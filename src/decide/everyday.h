// For tests: what developers type all day. No check may raise an alarm about any of it.
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace husk::decide {

// Commands of more than one line.
inline constexpr std::string_view everyday_blocks[] = {
    R"sh(cat > hello.py <<'EOF'
print("rm -rf /")
import os
EOF
python3 hello.py)sh",
    R"sh(cat <<EOF > config.yml
user: $USER
home: $HOME
EOF)sh",
    R"sh(git commit -m "$(cat <<'EOF'
Add a warning

Never run git add -A or git push --force.
EOF
)")sh",
    R"sh(python3 - <<'EOF'
import sys
for line in sys.stdin:
    print(line)
EOF)sh",
    R"sh(python3 <<EOF
print("hello")
EOF)sh",
    R"sh(psql app <<'SQL'
select * from users;
drop table old;
SQL)sh",
    R"sh(set -euo pipefail
npm ci
npm run build
npm test)sh",
    R"sh(docker run --rm \
    -v "$PWD":/src \
    -w /src \
    golang:1.22 \
    go test ./...)sh",
    R"sh(for dir in packages/*; do
    echo "== $dir"
    (cd "$dir" && npm test) || exit 1
done)sh",
    R"sh(if ! command -v jq >/dev/null; then
    echo "jq is missing" >&2
    exit 1
fi)sh",
    R"sh(# a comment: sudo rm -rf /
ls)sh",
    R"sh(build() {
    cmake -B build
    cmake --build build
}
build && echo ok)sh",
    R"sh(while IFS=, read -r name age; do
    printf '%s is %s\n' "$name" "$age"
done < people.csv)sh",
    R"sh(case "$(uname)" in
    Linux) echo linux ;;
    Darwin) echo mac ;;
    *) echo other ;;
esac)sh",
    R"sh(tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp -r src "$tmp"
cd "$tmp" && make)sh",
    R"sh(curl -sS -X POST https://api.example.com/graphql \
  -H 'Content-Type: application/json' \
  -d '{"query": "{ me { id } }"}' | jq .data)sh",
    R"sh(node <<'JS'
console.log([1, 2, 3].map(x => x * 2));
JS)sh",
    R"sh(bash <<'EOF'
echo one
echo two
EOF)sh",
    R"sh(tee Dockerfile <<'EOF'
FROM ubuntu
RUN apt-get update && rm -rf /var/lib/apt/lists/*
EOF
docker build -t x .)sh",
    R"sh(walk() {
    for entry in "$1"/*; do
        if [ -d "$entry" ]; then walk "$entry"; else echo "$entry"; fi
    done
}
walk src)sh",
    R"sh(awk '
BEGIN { FS = "," }
{ total[$1] += $2 }
END { for (k in total) print k, total[k] }
' sales.csv)sh",
    R"sh(server() { python3 -m http.server --bind 127.0.0.1 8000; }
server &
pid=$!
sleep 1
curl -s localhost:8000 > /dev/null
kill $pid)sh",
};

// Those, and the lines of testdata/everyday.txt: one command in each, # starts a heading.
inline std::vector<std::string> everyday_commands() {
    const std::string path = HUSK_SOURCE_DIR "/src/decide/testdata/everyday.txt";
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::vector<std::string> commands;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && !line.starts_with("# ")) commands.push_back(line);
    commands.insert(commands.end(), std::begin(everyday_blocks), std::end(everyday_blocks));
    return commands;
}

}  // namespace husk::decide
