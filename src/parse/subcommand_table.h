// The table of subcommands.h. To add a program, list the options that it takes in front of its
// subcommand. Options that are missing here cost a question, never a miss.
#pragma once

#include "parse/subcommands.h"

namespace husk::parse {

constexpr Subcommands subcommand_table[] = {
    {"git",
     "-C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source "
     "--shallow-file",
     "-p -P -v -h --paginate --no-pager --bare --no-replace-objects --no-lazy-fetch "
     "--no-optional-locks --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs "
     "--icase-pathspecs --html-path --man-path --info-path --exec-path --version --help"},
    {"docker", "-H -l -c --host --log-level --context --config --tlscacert --tlscert --tlskey",
     "-D -v --debug --tls --tlsverify --version --help", 2},
    {"docker compose",
     "-f -p --file --project-name --profile --project-directory --env-file --ansi --parallel "
     "--progress --workdir",
     "--compatibility --dry-run --all-resources --verbose --no-ansi"},
    {"docker-compose",
     "-f -p -H -c --file --project-name --profile --project-directory --env-file --ansi "
     "--parallel --progress --context --log-level --host --tlscacert --tlscert --tlskey --workdir",
     "-v --verbose --compatibility --dry-run --no-ansi --tls --tlsverify"},
    {"podman",
     "-c --cgroup-manager --config --conmon --connection --db-backend --events-backend "
     "--hooks-dir --identity --imagestore --log-level --module --namespace --network-cmd-path "
     "--network-config-dir --out --root --runroot --runtime --runtime-flag --ssh "
     "--storage-driver --storage-opt --tmpdir --url --volumepath",
     "-r -v --remote --noout --syslog --trace --transient-store --version --help", 2},
    {"podman compose", "-f -p --file --project-name --profile --env-file --project-directory", ""},
    {"nerdctl",
     "-a -H -n --address --host --namespace --snapshotter --storage-driver --cni-path "
     "--cni-netconfpath --data-root --cgroup-manager --hosts-dir --host-gateway-ip",
     "--debug --debug-full --insecure-registry --experimental", 2},
    {"kubectl",
     "-n -s -v --namespace --context --cluster --user --kubeconfig --server --token --as "
     "--as-group --as-uid --request-timeout --cache-dir --certificate-authority "
     "--client-certificate --client-key --tls-server-name --v --vmodule --username --password "
     "--profile --profile-output --log-dir --log-file --kuberc",
     "--insecure-skip-tls-verify --match-server-version --warnings-as-errors "
     "--disable-compression",
     2},
    {"oc",
     "-n -s -v --namespace --context --cluster --user --kubeconfig --server --token --as "
     "--as-group --as-uid --request-timeout --cache-dir --certificate-authority "
     "--client-certificate --client-key --tls-server-name --loglevel",
     "--insecure-skip-tls-verify --match-server-version", 2},
    {"helm",
     "-n --namespace --kube-context --kubeconfig --kube-apiserver --kube-token --kube-as-user "
     "--kube-as-group --kube-ca-file --kube-tls-server-name --registry-config "
     "--repository-cache --repository-config --burst-limit --qps",
     "--debug --kube-insecure-skip-tls-verify", 2},
    {"npm",
     "-C -w --prefix --workspace --registry --userconfig --globalconfig --cache --loglevel --tag "
     "--access --otp --scope --script-shell --node-options --omit --include",
     "-s -g -q -d -f -y --silent --global --quiet --verbose --workspaces "
     "--include-workspace-root --no-audit --no-fund --offline --json --yes --force --if-present "
     "--ignore-scripts",
     2},
    {"pnpm",
     "-C -F --dir --filter --filter-prod --reporter --loglevel --store-dir --virtual-store-dir "
     "--registry --config-dir --test-pattern --changed-files-ignore-pattern",
     "-r -w -s -g --recursive --workspace-root --silent --stream --parallel --aggregate-output "
     "--offline --prefer-offline --ignore-workspace --if-present --color --no-color "
     "--use-stderr",
     2},
    {"yarn",
     "--cwd --registry --cache-folder --modules-folder --use-yarnrc --network-timeout --mutex "
     "--prefix --global-folder --link-folder --preferred-cache-folder",
     "-s --silent --verbose --offline --json --non-interactive --no-progress --frozen-lockfile "
     "--prefer-offline",
     2},
    {"bun", "-c -r --cwd --config --env-file --preload --filter", "-b --bun --silent --smol", 2},
    {"cargo", "-C -Z --color --config --explain --manifest-path --target-dir",
     "-v -vv -q -V -h --verbose --quiet --frozen --locked --offline --list --version --help", 1,
     '+'},
    {"rustup", "", "-v -q -h -V --verbose --quiet", 2, '+'},
    {"pip",
     "--python --log --log-file --local-log --proxy --retries --timeout --exists-action "
     "--trusted-host --cert --client-cert --cache-dir --use-feature --use-deprecated "
     "--keyring-provider --resume-retries --default-timeout",
     "-v -q -h -V --verbose --quiet --debug --isolated --require-virtualenv --no-input "
     "--no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning"},
    {"uv",
     "-p --directory --project --config-file --cache-dir --color --python-preference "
     "--allow-insecure-host",
     "-q -v -n --quiet --verbose --no-cache --offline --native-tls --no-config --no-progress "
     "--no-python-downloads --managed-python",
     2},
    {"poetry", "-C -P --directory --project",
     "-q -n -v -vv -vvv --quiet --ansi --no-ansi --no-interaction --no-plugins --no-cache", 2},
    {"systemctl",
     "-t -p -P -H -M -C -n -o -s --type --state --property --job-mode --host --machine --capsule "
     "--lines --output --kill-whom --kill-who --kill-value --signal --what --root --image "
     "--image-policy --preset-mode --boot-loader-menu --boot-loader-entry --timestamp "
     "--drop-in --when --message --reboot-argument",
     "-q -f -a -l -r -i -T --user --system --global --runtime --now --no-block --no-pager "
     "--quiet --force --all --full --no-legend --no-ask-password --no-reload --no-wall "
     "--recursive --reverse --after --before --wait --plain --dry-run --failed --show-types "
     "--firmware-setup --no-warn"},
    {"loginctl", "-H -M -p -P -s -n -o --host --machine --property --kill-whom --signal --lines",
     "-a -l --all --full --no-pager --no-legend --no-ask-password --value"},
    {"machinectl", "-H -M -p -P -s -n -o --host --machine --property --kill-whom --signal --uid",
     "-a -l -q --all --full --no-pager --no-legend --quiet --read-only --mkdir"},
    {"apt",
     "-o -c -t -a --option --config-file --target-release --default-release "
     "--host-architecture",
     "-y -q -qq -s -d -f -m -u -V --yes --assume-yes --quiet --simulate --dry-run "
     "--download-only --fix-broken --no-install-recommends --allow-downgrades"},
    {"apt-get",
     "-o -c -t -a --option --config-file --target-release --default-release "
     "--host-architecture",
     "-y -q -qq -s -d -f -m -u -V -b --yes --assume-yes --quiet --simulate --just-print "
     "--dry-run --download-only --fix-broken --fix-missing --no-install-recommends "
     "--allow-downgrades --allow-unauthenticated --purge --reinstall"},
    {"aptitude", "-o -t -w -F -O --target-release --width --display-format --sort",
     "-y -q -s -d -f -P -R -r -v -V --assume-yes --quiet --simulate --download-only"},
    {"dnf",
     "-c -x -d -e -R --config --repo --repoid --enablerepo --disablerepo --exclude "
     "--installroot --releasever --setopt --forcearch --comment --disableplugin "
     "--enableplugin --advisory --rpmverbosity",
     "-y -q -v -C -b --assumeyes --assumeno --quiet --verbose --cacheonly --best --nobest "
     "--allowerasing --refresh --nogpgcheck"},
    {"yum",
     "-c -x -d -e -R --config --repo --enablerepo --disablerepo --exclude --installroot "
     "--releasever --setopt --disableplugin",
     "-y -q -v -C --assumeyes --assumeno --quiet --verbose --cacheonly --nogpgcheck"},
    {"zypper", "-c -R -D -C --config --root --reposd-dir --cache-dir --releasever --plus-repo",
     "-n -q -v -x --non-interactive --quiet --verbose --no-gpg-checks --no-refresh"},
    {"apk", "-p -X --root --repository --arch --cache-dir --keys-dir --wait --repositories-file",
     "-f -i -q -v -U --force --interactive --quiet --verbose --no-cache --no-network"},
    {"brew", "", "-d -q -v --debug --quiet --verbose", 2},
    {"flatpak", "--installation", "-v --user --system --verbose --ostree-verbose"},
    {"snap", "", "-h --help"},
    {"go", "-C", "", 1, '\0', true},
    {"dotnet",
     "--fx-version --roll-forward --additionalprobingpath --additional-deps --depsfile "
     "--runtimeconfig",
     "-d --diagnostics --info --version", 2},
    {"terraform", "", "-help -version", 2, '\0', true},
    {"tofu", "", "-help -version", 2, '\0', true},
    {"pulumi",
     "-C -v -s --cwd --color --verbose --stack --memprofilerate --profiling --tracing "
     "--otel-traces",
     "-e --emoji --logflow --logtostderr --non-interactive --disable-integrity-checking", 2},
    {"aws",
     "--region --profile --output --endpoint-url --query --color --ca-bundle "
     "--cli-read-timeout --cli-connect-timeout --cli-binary-format",
     "--debug --no-verify-ssl --no-paginate --no-sign-request --no-cli-pager --cli-auto-prompt "
     "--no-cli-auto-prompt",
     2},
    {"gcloud",
     "--project --account --configuration --billing-project --format --verbosity "
     "--impersonate-service-account --access-token-file --flags-file --filter --flatten "
     "--trace-token --region --zone",
     "-q -h --quiet --log-http --user-output-enabled --no-user-output-enabled --help", 4},
    {"az", "-o --output --query --subscription", "--debug --only-show-errors --verbose", 4},
    {"gh", "-R --repo --hostname", "--help --version", 2},
    {"glab", "-R --repo", "--help --version", 2},
    {"svn", "--username --password --config-dir --config-option",
     "-q -v --no-auth-cache --non-interactive --trust-server-cert --quiet --verbose"},
    {"hg", "-R --repository --cwd --config --encoding --encodingmode --color --pager",
     "-y -q -v --noninteractive --quiet --verbose --debug --debugger --traceback --time "
     "--profile --hidden --version"},
    {"jj", "-R --repository --at-operation --at-op --color --config --config-file",
     "--ignore-working-copy --ignore-immutable --debug --quiet --no-pager", 2},
    {"ip",
     "-n -b -l -f -rc -netns --netns -batch --batch -loops --loops -family --family "
     "-rcvbuf --rcvbuf",
     "-4 -6 -B -M -0 -o -s -d -j -p -t -ts -r -h -br -a -D -V -N -oneline -stats -statistics "
     "-details -json -pretty -timestamp -resolve -human -brief -all -Numeric -color --json -c",
     2, '\0', true},
    {"nmcli", "-m -f -e -c -g -w --mode --fields --escape --colors --get-values --wait",
     "-t -p -a -s -o --terse --pretty --ask --show-secrets --overview", 2},
    {"tmux", "-c -f -L -S -T", "-2 -C -CC -D -l -N -u -U -v -V"},
    {"virsh", "-c -d -e -l -k -K --connect --debug --escape --log --keepalive-interval",
     "-q -r -t --quiet --readonly --timing"},
    {"lxc", "--project", "-v -q --debug --verbose --quiet --force-local", 2},
    {"ctr", "-a -n --address --namespace --timeout --connect-timeout", "--debug", 2},
    {"crictl", "-c -i -r -t --config --image-endpoint --runtime-endpoint --timeout", "-D --debug"},
    {"doctl", "-t -u -c -o --access-token --api-url --config --context --output --http-retry-max",
     "-v --trace --verbose --interactive", 4},
    {"vercel", "-t -S -A -Q --cwd --token --scope --local-config --global-config --team",
     "-d --debug --no-color", 2},
    {"firebase", "-P -c -t --project --account --config --token",
     "-j --json --debug --non-interactive --interactive"},
    {"composer", "-d --working-dir",
     "-n -q -v -vv -vvv --no-interaction --quiet --verbose --profile --no-plugins --no-scripts "
     "--no-cache --ansi --no-ansi"},
    {"flutter", "-d --device-id --packages",
     "-v --verbose --no-color --suppress-analytics --no-version-check", 2},
    {"bazel", "", "", 1},
    {"gem", "-C --config-file", "-v -q -V --verbose --quiet --silent --debug --norc --backtrace"},
    {"bundle", "", "--verbose --no-color"},
    {"conda", "", "-v -q --verbose --quiet --no-plugins --json --debug"},
    {"mamba", "", "-v -q --verbose --quiet --no-plugins --json --debug"},
    {"nix", "--option --extra-experimental-features --experimental-features --log-format --store",
     "-v -L --verbose --quiet --debug --offline --refresh --print-build-logs --impure", 2},
    {"flyctl", "-t --access-token", "--debug --verbose", 2},
    {"fly", "-t --access-token", "--debug --verbose", 2},
    {"wrangler", "-c -e --config --env --cwd --env-file", "", 2},
    {"cdk", "-a -c -p --app --context --profile --plugin --role-arn --output",
     "-v -j -i --verbose --json --debug --trace --strict --ci --no-color"},
    {"minikube", "-p -v --profile --v --user --log_dir --log_file", "--alsologtostderr", 2},
    {"kind", "-v --verbosity", "-q --quiet", 2},
    {"eksctl", "-v -C --verbose --color", "-d --dumpLogs", 2},
    {"argocd", "--server --auth-token --config --loglevel --header", "--grpc-web --insecure --core",
     2},
    {"vault", "", "", 2, '\0', true},
    {"nomad", "", "", 2, '\0', true},
    {"redis-cli", "-h -p -s -a -u -n -r -i -d -D --user --pass --cacert --cert --key",
     "-c -2 -3 -x --raw --no-raw --csv --json --tls --insecure --no-auth-warning"},
    {"rclone", "--config --transfers --checkers --bwlimit --include --exclude --filter --log-file",
     "-v -vv -P -n -q --verbose --progress --dry-run --quiet --fast-list"},
    {"restic", "-r -p -o --repo --repository-file --password-file --password-command --option",
     "-q -v --quiet --verbose --json --no-cache --no-lock --insecure-tls"},
    {"gsutil", "-o -h -i -u", "-m -q -D -DD"},
    {"turbo", "--cwd --filter --token --team --api", "--no-color --color --skip-infer"},
    {"alembic", "-c -n -x --config --name", "--raiseerr -q"},
    {"flask", "-A -e --app --env-file", "--debug --no-debug"},
    {"pm2", "", "-s --silent -m"},
    {"supervisorctl", "-c -s -u -p --configuration --serverurl --username --password",
     "-i --interactive"},
    {"ufw", "", "--force --dry-run"},
    {"make",
     "-C -f -I -o -W -E --directory --file --makefile --include-dir --old-file --assume-old "
     "--what-if --new-file --assume-new --eval",
     "-B -d -e -i -k -L -n -p -q -r -R -s -S -t -w --always-make --keep-going --dry-run "
     "--just-print --recon --silent --quiet --no-print-directory --print-directory --touch "
     "--no-builtin-rules --ignore-errors --environment-overrides",
     1, '='},
    {"gmake", "-C -f -I -o -W -E --directory --file --makefile --include-dir --eval",
     "-B -d -e -i -k -n -q -r -R -s -S -t -w --always-make --keep-going --dry-run --silent", 1,
     '='},
    {"ninja", "-C -f -j -k -l -d -t -w", "-n -v --verbose --quiet"},
    {"just",
     "-f -d --justfile --working-directory --shell --shell-arg --dotenv-path --color "
     "--command-color --tempdir",
     "-n -q -v -u --dry-run --quiet --verbose --unstable --yes --one --no-deps", 1, '='},
    {"task", "-d -t -o -C -I --dir --taskfile --output --concurrency --interval",
     "-f -g -n -p -s -v -w -x -y --force --global --dry --parallel --silent --verbose --yes", 1,
     '='},
    {"mvn", "-f -s -gs -t -pl -rf -P -T -l -b --file --settings --projects --threads --log-file",
     "-q -o -U -B -X -e -N -am -amd -ntp --quiet --offline --batch-mode", 1, '\0', true},
    {"gradle", "-p -b -c -I -g -x --project-dir --build-file --settings-file --init-script",
     "-q -i -d -s -w --quiet --info --debug --stacktrace --offline --no-daemon --daemon "
     "--parallel --continue"},
    {"rake", "-f -C -I -r -R -j --rakefile --directory --libdir --require",
     "-n -q -s -v -t --dry-run --quiet --silent --verbose", 1, '='},
};

}  // namespace husk::parse
