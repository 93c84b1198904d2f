// For tests: what developers type all day. No check may raise an alarm about any of it.
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace husk::decide {

// One command in each line; # starts a heading.
inline constexpr std::string_view everyday_lines = R"sh(
# looking around
ls
ls -la
ls -lah src/
ls -1 | wc -l
ls *.txt
ls -d */
ls ~/projects
pwd
cd src
cd ..
cd ~
cd -
cd "$HOME/projects/app" && ls
pushd build && make && popd
tree -L 2
tree -I 'node_modules|dist'
file build/app
stat -c %s package.json
du -sh .
du -sh * | sort -h
du -h --max-depth=1 . | sort -rh | head -20
df -h
df -h /
which python3
which -a node
type git
command -v docker
whereis gcc
whoami
id
hostname
uname -a
date
date +%Y-%m-%d
uptime
free -h
env | sort
env | grep NODE
printenv PATH
echo $PATH
echo "$HOME"
echo $?
echo "exit code: $?"
echo done
printf '%s\n' a b c
cat /etc/os-release
cat /proc/cpuinfo | grep 'model name' | head -1
lscpu
nproc
history | tail -20
alias
man ls
man mount
man 2 mount
man rm
help cd
tldr tar
sleep 1
true
false || true
clear

# reading files
cat README.md
cat a.txt
cat a.txt b.txt > c.txt
cat -n src/main.c
cat package.json | jq .
cat ~/.gitconfig
cat .env.example
head -20 README.md
head -n 5 data.csv
tail -f logs/app.log
tail -100 logs/app.log | grep ERROR
tail -n +2 data.csv | cut -d, -f1
less README.md
wc -l src/*.py
wc -l $(git ls-files '*.rs')
sort names.txt | uniq -c | sort -rn | head
cut -d: -f1 /etc/passwd
diff a.txt b.txt
diff -u old.c new.c > fix.patch
diff -rq dir1 dir2
diff <(sort a.txt) <(sort b.txt)
comm -23 <(sort a) <(sort b)
cmp a.bin b.bin
md5sum dist/*.tar.gz
sha256sum release.tar.gz
sha256sum -c SHA256SUMS
xxd build/app | head
hexdump -C data.bin | head -5
strings build/app | grep version
base64 image.png > image.b64
base64 -d image.b64 > image.png
od -c file | head
column -t -s, data.csv
paste a.txt b.txt
tac log.txt | head
nl file.txt
rev names.txt
tr a-z A-Z < names.txt
tr -d '\r' < dos.txt > unix.txt
fold -w 80 text.txt
jq '.dependencies | keys' package.json
jq -r '.version' package.json
jq -r '.[] | select(.age > 30) | .name' people.json
yq '.services' docker-compose.yml
xmllint --format a.xml
python3 -m json.tool data.json

# asking dangerous programs a question
mount | grep ext4
mount -t ext4
umount -h
su --version
sudo --version
reboot --help
passwd -S
modprobe -n x
modprobe --version
mkfs.ext4 test.img
mkswap swapfile
git add -n .
git add -N .
git add --dry-run .
(echo > /dev/tcp/localhost/8080) 2>/dev/null
timeout 1 bash -c 'cat < /dev/null > /dev/tcp/127.0.0.1/3000'
find . -links +5 -delete
find . -xtype l -delete
MSG='see a[`x`]'
MSG='see a[`x`]'; git commit -m "$MSG"
for d in a b; do rm -rf "$d/build"; done
for d in packages/*; do rm -rf "$d/dist"; done
dirs=(build dist); rm -rf "${dirs[@]}"
rm -rf "${OUT:-build}"
docker exec web rm -rf /app/cache
docker run --rm -v "$PWD:/w" -w /w alpine chown -R 1000 /w/out
tmux new -d -s dev 'npm run dev'
tmux send-keys -t dev 'npm test' Enter
screen -dmS dev npm run dev
npx -c 'tsc && jest'
git config core.hooksPath .husky
git config --global alias.st status
git config --global core.editor vim
wipefs /dev/sda
sgdisk -p /dev/sda

# writing files
touch src/new_file.py
mkdir -p build/debug
mkdir -p src/{components,hooks,utils}
mkdir -m 755 out
cp config.example.json config.json
cp -r templates/ build/templates/
cp -a dist/. public/
mv old.txt new.txt
mv src/*.ts lib/
ln -s ../shared node_modules/shared
ln -sf /usr/local/bin/python3.11 bin/python
rm file.txt
rm -f *.log
rm -f build/*.o
rm -rf node_modules
rm -rf node_modules package-lock.json
rm -rf dist build coverage
rm -rf ./build
rm -rf /tmp/build
rm -rf build/*
rm -rf target/debug
rm -rf __pycache__ .pytest_cache .mypy_cache
rm -rf *.egg-info
rm -rf .next .nuxt .turbo
rm -rf .venv
rm -rf .github/workflows/old
rm -rf "$tmpdir"
rm -rf "${BUILD_DIR:?}/out"
rm -rf -- "-weird"
rm -r .git
rm -f .git/index.lock
rm -i a.txt
rmdir empty
echo "hello" > hello.txt
echo "line" >> notes.txt
echo 'export EDITOR=vim' >> ~/.bashrc
: > log.txt
> log.txt
printf 'a,b\n1,2\n' > data.csv
tee config.yml < template.yml
echo hi | tee -a log.txt
make 2>&1 | tee build.log
chmod +x scripts/deploy.sh
chmod 755 script.sh
chmod 644 *.md
chmod -R u+rw build
chmod 600 ~/.ssh/config
chmod 1777 shared
chown -R $USER:$USER node_modules
truncate -s 0 app.log
split -l 1000 big.csv part_
install -m 755 build/app bin/app
mktemp
mktemp -d
tmp=$(mktemp -d) && cd "$tmp"
dd if=/dev/zero of=test.img bs=1M count=10
dd if=/dev/urandom of=random.bin bs=1k count=1 2>/dev/null
fallocate -l 1G big.img
sync

# searching
grep TODO src/main.c
grep -rn sudo .
grep -rn "rm -rf" scripts/
grep -r 'git push --force' docs
grep -rin "password" src --include=*.py
grep -E '^(a|b)' file.txt
grep -v '^#' config.ini
grep -c ERROR app.log
grep -l TODO -r src
grep -A3 -B3 panic log.txt
grep -oP '(?<=version": ")[^"]+' package.json
grep -q foo bar.txt && echo found
egrep 'a|b' file
rg TODO
rg -n "fn main" src
rg --files | head
rg -l 'import React' -g '*.tsx'
rg 'mkfs' --type c
rg -uu -i 'shutdown|reboot'
ag foo
ack bar
find . -name '*.py'
find . -type f -name '*.js' -not -path './node_modules/*'
find . -type f | wc -l
find . -name '*.pyc' -delete
find . -name '*.o' -exec rm {} \;
find . -name '*.tmp' -exec rm -f {} +
find . -name node_modules -type d -prune -exec rm -rf {} +
find . -name __pycache__ -type d | xargs rm -rf
find . -name '*.log' -mtime +7 -delete
find build -type f -delete
find /tmp/cache -type f -delete
find . -empty -type d -delete
find src -name '*.ts' -exec grep -l useState {} +
find . -name '*.sh' -exec chmod +x {} \;
find . -name '*.c' -print0 | xargs -0 wc -l
find . -newer Makefile
find / -name libssl.so 2>/dev/null
find ~ -name '*.iso' -size +1G
fd '\.rs$'
fd -e py -x black
locate stdio.h
xargs -n1 echo < list.txt
cat urls.txt | xargs -n1 -P4 curl -O
git ls-files | xargs grep -l TODO
ls *.png | xargs -I{} convert {} {}.jpg
seq 1 10 | xargs -I{} echo item {}

# sed and awk
sed 's/foo/bar/g' file.txt
sed -i 's/foo/bar/g' src/*.c
sed -i.bak 's/1.0/2.0/' setup.py
sed -n '10,20p' main.c
sed -e '/^#/d' -e '/^$/d' config
sed -i '' 's/a/b/' file
awk '{print $1}' access.log
awk -F, '{sum += $3} END {print sum}' data.csv
awk 'NR % 2 == 0' file
awk '/start/,/end/' log.txt
awk -v n=5 '$1 > n {print $2}' t.txt
ps aux | awk '{print $2, $11}'
perl -pe 's/a/b/' file
perl -i -pe 's/\r\n/\n/' file.txt
perl -ne 'print if /x/' file
perl -e 'print "hi\n"'

# git
git status
git status --short
git -C ../other status
git --no-pager log -3
git log --oneline -10
git log --oneline --graph --all
git log -p -- src/main.c
git log --since='2 weeks ago' --author=me
git log -S 'rm -rf /' --oneline
git show HEAD
git show HEAD:README.md
git show --stat HEAD~2
git diff
git diff --cached
git diff HEAD~1 --stat
git diff main...feature
git diff --name-only | xargs eslint
git add src/main.c
git add src/*.py tests/
git add -p src/main.c
git add -u
git add README.md docs/
git add '*.md'
git add src/
git commit -m 'fix su bug'
git commit -m 'rm -rf / is bad'
git commit -m 'never git add .'
git commit -am "wip"
git commit --amend --no-edit
git commit --fixup HEAD~1
git commit -F message.txt
git commit -m "$(cat message.txt)"
git push
git push origin main
git push -u origin feature/x
git push --force-with-lease
git push --force-with-lease origin HEAD
git push --tags
git push origin --delete old-branch
git push origin HEAD:refs/for/main
git pull
git pull --rebase
git pull --ff-only origin main
git fetch --all --prune
git fetch origin pull/12/head:pr-12
git fetch -f origin
git checkout main
git checkout -b feature/new
git checkout -- src/main.c
git checkout HEAD~1 -- file.txt
git checkout .
git switch -c topic
git restore --staged file.txt
git restore .
git branch
git branch -a
git branch -D old
git branch --show-current
git merge feature
git merge --no-ff --no-edit topic
git merge --abort
git rebase main
git rebase -i HEAD~3
git rebase --continue
git cherry-pick abc123
git revert HEAD --no-edit
git reset HEAD~1
git reset --hard origin/main
git reset --soft HEAD~1
git stash
git stash pop
git stash push -m wip -- src
git clean -fd
git clean -fdx build
git tag v1.0.0
git tag -a v1.0 -m 'release'
git tag -f latest
git remote -v
git remote add upstream https://github.com/a/b.git
git clone https://github.com/a/b.git
git clone --depth 1 git@github.com:a/b.git dir
git submodule update --init --recursive
git bisect start
git bisect run make test
git blame -L 10,20 src/main.c
git reflog
git config user.name
git config --global user.email me@example.com
git rev-parse HEAD
git rev-parse --show-toplevel
git ls-files
git ls-files -m
git grep -n TODO
git worktree add ../wt main
git describe --tags
git shortlog -sn
git archive --format=tar HEAD | gzip > src.tar.gz
git apply fix.patch
git format-patch -1
git am < fix.patch
git rm --cached secrets.txt
git mv a b
git gc
git init
git rev-list --count HEAD
git update-index --assume-unchanged config.json
git for-each-ref --sort=-committerdate refs/heads
git -c user.name=me commit -m x
git -c core.pager=cat log -1
gh pr create --fill
gh pr view 12
gh pr checkout 12
gh issue list --limit 10
gh run watch
gh api repos/a/b/pulls

# node
npm install
npm ci
npm i -D typescript
npm run build
npm run format
npm run test -- --watch
npm run test:unit
npm test
npm start
npm outdated
npm audit fix
npm ls --depth=0
npm version patch
npm pack
npm publish --dry-run
npm cache clean --force
npm init -y
npm uninstall lodash
npm run lint --silent
npm exec tsc -- --noEmit
npx tsc --noEmit
npx prettier --write .
npx eslint . --fix
npx create-react-app app
npx jest --coverage
npx --yes serve dist
yarn
yarn install --frozen-lockfile
yarn add react
yarn build
yarn test
yarn workspace web dev
yarn dlx degit a/b
pnpm install
pnpm add -D vitest
pnpm -r build
pnpm dlx create-vite
pnpm run dev
bun install
bun run dev
bun test
node server.js
node -e 'console.log(process.version)'
node -e "require('fs').readFileSync('a')"
node --version
node -p 'process.versions'
node --test
NODE_ENV=production node server.js
NODE_OPTIONS=--max-old-space-size=4096 npm run build
CI=1 npm test
PORT=3000 npm start
deno run --allow-net main.ts
tsc --watch
tsc -p tsconfig.json
eslint src --ext .ts
prettier --check .
jest src/foo.test.ts
vitest run
vite build
webpack --mode production
next build
nvm use 20
corepack enable

# python
python3 --version
python3 script.py
python3 -c 'import sys; print(sys.version)'
python -c "print('hello')"
python -c "import json; print(json.dumps({'a': 1}))"
python3 -m venv .venv
python3 -m pytest
python3 -m pip install -e .
python3 -m http.server 8000
python3 -m unittest discover
python manage.py migrate
python manage.py runserver 0.0.0.0:8000
python setup.py sdist bdist_wheel
python3 - < script.py
source .venv/bin/activate
. .venv/bin/activate && pip list
pip install -r requirements.txt
pip install requests==2.31
pip install --upgrade pip
pip freeze > requirements.txt
pip list --outdated
pip show requests
pip uninstall -y foo
pip3 install .
pipx install black
poetry install
poetry run pytest
poetry add httpx
poetry build
uv sync
uv run pytest
uv pip install ruff
pytest
pytest -q
pytest -x -k 'not slow'
pytest tests/test_a.py::test_b -vv
pytest --cov=src --cov-report=html
tox -e py311
nox
black .
ruff check --fix
mypy src
isort .
flake8
pylint src
jupyter notebook
ipython
conda activate env
PYTHONPATH=src python -m app
DJANGO_SETTINGS_MODULE=app.settings python manage.py test

# rust, go, c, java, others
cargo build
cargo build --release
cargo test
cargo test -- --nocapture
cargo run -- --help
cargo check
cargo clippy -- -D warnings
cargo fmt
cargo fmt --check
cargo add serde --features derive
cargo doc --open
cargo bench
cargo install ripgrep
cargo update
cargo tree
cargo clean
RUST_BACKTRACE=1 cargo test
RUSTFLAGS="-C target-cpu=native" cargo build
rustup update
rustc --version
go build ./...
go test ./...
go test -run TestFoo -v ./pkg
go run main.go
go mod tidy
go vet ./...
go fmt ./...
go get example.com/x@latest
go install golang.org/x/tools/gopls@latest
GOOS=linux GOARCH=amd64 go build -o bin/app
golangci-lint run
make
make -j8
make clean
make test
make mount
make install PREFIX=build/root
make -C src
make CC=clang
cmake -S . -B build
cmake --build build -j
cmake -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug
ctest --test-dir build --output-on-failure
ninja -C build
meson setup build
./configure --prefix=/usr/local
autoreconf -fi
gcc -Wall -o app main.c
g++ -std=c++20 -O2 main.cc -o app
clang-format -i src/*.cc
clang-tidy src/a.cc
gdb ./app
valgrind ./app
strace -f ./app
ldd build/app
nm -C libx.so | grep foo
objdump -d app | head
LD_LIBRARY_PATH=build ./app
./app --help
./scripts/test.sh
bash scripts/build.sh
sh ./install.sh
bash -n script.sh
bash -c 'echo hi'
bash -c "cd src && make"
sh -c 'echo "$0"' x
bash -lc 'nvm use && npm test'
shellcheck *.sh
mvn clean install
mvn -q test
./gradlew build
gradle test
java -jar app.jar
javac Main.java
dotnet build
dotnet test
dotnet run
bundle install
bundle exec rspec
rails db:migrate
rake test
ruby -e 'puts 1'
gem install rails
composer install
php artisan serve
php -r 'echo 1;'
mix test
swift build
flutter run
zig build
stack build
cabal test
bazel build //...
terraform init
terraform plan -out=plan
terraform fmt
terraform apply plan
ansible-playbook site.yml
helm upgrade --install app ./chart
latexmk -pdf paper.tex
pandoc README.md -o README.pdf
ffmpeg -i in.mp4 out.webm
convert a.png -resize 50% b.png

# containers
docker ps
docker ps -a
docker images
docker build -t app .
docker build -f Dockerfile.dev -t app:dev --no-cache .
docker run --rm -it ubuntu bash
docker run --rm -v "$(pwd)":/app -w /app node:20 npm test
docker run -d -p 5432:5432 -e POSTGRES_PASSWORD=x postgres
docker exec -it web sh
docker exec web ls /
docker logs -f web
docker stop web
docker rm -f web
docker rmi old
docker compose up -d
docker compose down
docker compose logs -f api
docker compose exec api python manage.py migrate
docker-compose up --build
docker system prune -f
docker volume ls
docker network ls
docker inspect web | jq '.[0].State'
docker cp web:/app/log.txt .
docker pull node:20
docker push registry.example.com/app
docker login
docker stop $(docker ps -q)
docker rm $(docker ps -aq)
podman ps
kubectl get pods
kubectl get pods -n prod -o wide
kubectl describe pod web
kubectl logs -f deploy/web
kubectl apply -f k8s/
kubectl delete pod web
kubectl exec -it web -- sh
kubectl port-forward svc/web 8080:80
kubectl config get-contexts
kubectl rollout status deploy/web
kubectl scale --replicas=3 deploy/web
kubectl get secret db -o jsonpath='{.data.user}' | base64 -d
minikube start
eval $(minikube docker-env)
kind create cluster
k9s

# archives and downloads
tar czf out.tar.gz dist/
tar xzf release.tar.gz
tar -xf archive.tar -C /tmp/x
tar tf a.tar | head
tar cf - src | tar xf - -C /tmp/copy
zip -r out.zip dist
unzip -o a.zip -d out
gzip -k file
gunzip file.gz
zcat log.gz | grep ERROR
xz -d a.xz
curl https://example.com
curl -I https://example.com
curl -sSL https://example.com/a.tar.gz -o a.tar.gz
curl -fsSL https://example.com/a.tar.gz | tar xz
curl -O https://example.com/file.zip
curl -s https://api.example.com/users | jq '.[0]'
curl -s https://api.example.com/v1 | python3 -m json.tool
curl -s https://api.example.com/v1 | python3 -c 'import sys, json; print(json.load(sys.stdin)["a"])'
curl -s https://api.example.com/v1 | node -e 'process.stdin.pipe(process.stdout)'
curl -X POST -H 'Content-Type: application/json' -d '{"a":1}' https://api.example.com/items
curl -H "Authorization: Bearer $TOKEN" https://api.example.com/me
curl -X DELETE http://localhost:3000/items/1
curl -d @payload.json http://localhost:8080/api
curl -F 'file=@test.png' http://127.0.0.1:8000/upload
curl -u user:pass https://example.com
curl --fail --silent --show-error http://localhost:8080/health
curl -w '%{http_code}' -o /dev/null -s https://example.com
echo '{"a":1}' | curl -d @- https://api.example.com/x
wget https://example.com/a.zip
wget -qO- https://example.com | head
wget -r -np https://example.com/docs/
http GET localhost:8000
rsync -av src/ backup/
rsync -av --delete build/ /tmp/out/
rsync -avz server:/var/log/app/ logs/
scp server:/tmp/a.log .
nc -zv localhost 5432
nc -z db.example.com 5432
ping -c 3 example.com
dig example.com
nslookup example.com
host example.com
traceroute example.com
whois example.com
netstat -tlnp
ss -tlnp
lsof -i :3000
ip addr
ifconfig
printf 'GET / HTTP/1.0\r\n\r\n' | nc example.com 80
timeout 1 bash -c '</dev/tcp/localhost/5432' && echo up
openssl rand -hex 16
openssl x509 -in cert.crt -noout -text
ssh-keygen -t ed25519 -f key -N ''
ssh-add -l
eval "$(ssh-agent -s)"
eval "$(direnv hook bash)"
source <(kubectl completion bash)
. ~/.nvm/nvm.sh

# processes and services
ps aux
ps aux | grep node
ps -ef | grep -v grep | grep python
top -b -n 1 | head
pgrep -f server
kill 1234
kill -9 1234
kill %1
pkill -f 'node server.js'
killall node
kill $(lsof -t -i:3000)
lsof -ti:8080 | xargs kill
jobs
fg
bg
wait
nohup node server.js > out.log 2>&1 &
node server.js &
(sleep 5; echo done) &
timeout 10 npm test
time make
nice -n 10 make -j8
watch -n1 ls
systemctl status nginx
systemctl --user list-units
journalctl -u app --since today
journalctl -f
crontab -l
service nginx status
dmesg | tail
vmstat 1 5
iostat
redis-cli ping
psql -h localhost -U postgres -c 'select 1'
mysql -u root -e 'show tables' app
sqlite3 app.db '.tables'
mongosh --eval 'db.stats()'
pg_dump app > backup.sql
createdb app

# lists, loops, tests and variables
npm ci && npm run build && npm test
make || echo failed
cd build && cmake .. && make -j4
[ -f .env ] && cat .env.example
[ -d dist ] || mkdir dist
[[ -n "$CI" ]] && echo ci
test -f package.json && echo yes
if [ -f a ]; then echo yes; else echo no; fi
for f in *.txt; do echo "$f"; done
for i in 1 2 3; do echo $i; done
for i in {1..5}; do curl -s localhost:3000/$i; done
for f in src/*.js; do mv "$f" "${f%.js}.ts"; done
for d in */; do (cd "$d" && git pull); done
while read -r line; do echo "$line"; done < file.txt
while ! nc -z localhost 5432; do sleep 1; done
until curl -sf localhost:8080/health; do sleep 1; done
while true; do date; sleep 1; done
case "$1" in start) echo up;; stop) echo down;; esac
x=5; echo $((x * 2))
name=$(git config user.name); echo "$name"
VERSION=$(jq -r .version package.json) && echo $VERSION
export NODE_ENV=test
export PATH="$PATH:$HOME/.local/bin"
unset FOO
set -e
set -euo pipefail; make
set -x
read -r a b <<< "1 2"
arr=(a b c); echo "${arr[@]}"
echo {a,b}{1,2}
echo "${x:-default}"
echo "$(date): done"
echo `date`
(cd sub && make)
{ echo a; echo b; } > out.txt
ls nonexistent 2>/dev/null
cmd > /dev/null 2>&1
./run.sh &> log.txt
grep x file | sort | uniq > out.txt
trap 'rm -f "$tmp"' EXIT
trap 'echo bye' EXIT
f() { echo "$1"; }; f hi
seq 1 5 | while read n; do echo $n; done
echo "a b c" | tr ' ' '\n'
echo 'sudo rm -rf /' > warning.txt
echo sudo
echo mkfs
echo ":(){ :|:& };:"
exit 0
exit 1
! grep -q FAIL log.txt
! true
yes | head -3
bc <<< '2 + 2'
expr 1 + 2
basename /a/b/c.txt .txt
dirname "$0"
realpath .
readlink -f bin/app
xdg-open index.html
code .
vim file.txt
nano file.txt
emacs -nw file
apt list --installed
apt-cache search foo
apt search ripgrep
dpkg -l | grep ssl
brew install jq
brew list
snap list
)sh";

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
    R"sh(server() { python3 -m http.server 8000; }
server &
pid=$!
sleep 1
curl -s localhost:8000 > /dev/null
kill $pid)sh",
};

inline std::vector<std::string> everyday_commands() {
    std::vector<std::string> commands;
    for (const std::string_view line : text::split_lines(everyday_lines)) {
        if (!line.empty() && !line.starts_with("# ")) commands.emplace_back(line);
    }
    commands.insert(commands.end(), std::begin(everyday_blocks), std::end(everyday_blocks));
    return commands;
}

}  // namespace husk::decide
