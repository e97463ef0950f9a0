import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { parseCommandLine } from '../../../src/engine/options/parseCommandLine.ts';
import type { CreateArguments } from '../../../src/engine/options/options.ts';
import { InputError } from '../../../src/engine/errors.ts';
import {
  formatPowerShellCommand,
  formatRunCommand,
  runCommandArguments,
} from '../../../src/recipes/formatRunCommand.ts';
import { quoteShellArguments } from '../../../src/engine/options/shellQuoting.ts';

/** Returns the arguments that a real shell passes for a command line. */
function asShellReads(line: string): readonly string[] {
  const script = `printf '%s\\0' ${line}`;
  const text = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
  return text.split('\0').slice(0, -1);
}

/** Each field with a distinct value. */
const ALL: Required<Omit<CreateArguments, 'start'>> = {
  image: 'quay.io/a/b:1',
  cmd: ['sh', '-c', `echo "it's $HOME" | wc`],
  entrypoint: ['/bin/env', '-i'],
  name: 'web',
  env: ['A=1', 'B=two words', "C='\n"],
  unsetEnv: ['D'],
  ports: ['127.0.0.1:8080:80', '53/udp'],
  mounts: ['/a b:/c:ro'],
  labels: { team: 'red & blue' },
  restart: 'on-failure:3',
  autoRemove: true,
  tty: true,
  openStdin: true,
  network: 'front',
  hostname: 'harbour',
  dns: ['192.0.2.1'],
  extraHosts: ['db:192.0.2.2'],
  publishAll: true,
  workingDir: '/w',
  user: 'me:us',
  healthcheck: { test: ['a b', 'c'], interval: '5s', timeout: '6s', startPeriod: '7s', retries: 2 },
  stopSignal: 'SIGINT',
  stopTimeout: 3,
  memory: '64m',
  shmSize: '32m',
  cpus: 0.5,
  pidsLimit: 9,
  init: true,
  readOnly: true,
  privileged: true,
  capAdd: ['NET_ADMIN'],
  capDrop: ['CHOWN'],
  securityOpt: ['label=disable'],
  devices: ['/dev/null'],
  tmpfs: ['/t:size=1m'],
  platform: 'linux/amd64',
};

describe('recipes/formatRunCommand for PowerShell', () => {
  const labelled = (value: string): string =>
    formatPowerShellCommand({ image: 'a', labels: { x: value } });

  it('quotes arguments completely', () => {
    assert.equal(labelled("'; calc; '"), "docker run -d -l 'x=''; calc; ''' a");
    assert.equal(labelled('\u2019; calc'), "docker run -d -l 'x=\u2019\u2019; calc' a");
    assert.equal(labelled('$(calc) `n @y'), "docker run -d -l 'x=$(calc) `n @y' a");
    assert.equal(
      formatPowerShellCommand({ image: 'a', cmd: ['@b', '%', '1,2'] }),
      "docker run -d a '@b' '%' '1,2'",
    );
  });

  it('rejects arguments that not every version passes unchanged', () => {
    for (const value of ['a" --privileged "', 'a\nb', 'C:\\', '\x1b[201~', '\u201c'])
      assert.throws(() => labelled(value), InputError, JSON.stringify(value));
    assert.throws(() => formatPowerShellCommand({ image: 'a', cmd: [''] }), InputError);
  });
});

describe('recipes/formatRunCommand', () => {
  it('has an argument for each field', () => {
    const words = runCommandArguments(ALL);
    const options =
      '-i -t --rm --name --restart --platform -e -w -u -l -p --stop-signal --stop-timeout --init -P ' +
      '--network -h --dns --add-host -v --tmpfs --device -m --shm-size --cpus --pids-limit ' +
      '--read-only --privileged --cap-add --cap-drop --security-opt --health-cmd --health-interval ' +
      '--health-timeout --health-start-period --health-retries';
    for (const option of options.split(' ')) {
      assert.ok(words.includes(option), option);
    }
    const end = ['--entrypoint', '/bin/env', 'quay.io/a/b:1', '-i', ...ALL.cmd];
    assert.deepEqual(words.slice(-end.length), end);
    assert.equal(words[words.indexOf('--health-cmd') + 1], "'a b' c");
  });

  it('is parsed into the same arguments by a shell and by Gantry', () => {
    const line = formatRunCommand(ALL);
    assert.deepEqual(asShellReads(line), runCommandArguments(ALL));
    assert.deepEqual(parseCommandLine(line), runCommandArguments(ALL));
  });

  it('is detached unless STDIN is kept open', () => {
    assert.equal(formatRunCommand({ image: 'busybox' }), 'docker run -d busybox');
    assert.equal(formatRunCommand({ image: 'busybox', tty: true }), 'docker run -d -t busybox');
  });

  it('clears the entrypoint, and turns off the health check', () => {
    const line = formatRunCommand({ image: 'a', entrypoint: [''], cmd: ['b'], healthcheck: false });
    assert.equal(line, "docker run -d --no-healthcheck --entrypoint '' a b");
  });

  it('quotes characters with a meaning for a shell or a terminal', () => {
    const words = [
      ...['', ' ', '~', '*', '$HOME', '`id`', '$(id)', '!x', '#', ';', '&&', '>', '\\', '"', "'"],
      ...[
        'a\tb\nc',
        '\n',
        'ü🚢',
        '-x',
        'a=b',
        '{a,b}',
        '[a]',
        '?',
        'x\x1b[201~\nid\n',
        '\x01\x02',
        "'\x1b'",
      ],
      ...['a\x7fb', '\x9b1m', '%s', '\\033'],
    ];
    const line = quoteShellArguments(words);
    assert.deepEqual(asShellReads(line), words);
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    assert.doesNotMatch(line, /[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  });
});
