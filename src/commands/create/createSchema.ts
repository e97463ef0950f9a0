import * as vscode from 'vscode';

import type { CreateArguments } from '../../engine/options/createSpec.ts';
import { isHealthcheck } from '../../engine/options/healthcheck.ts';
import type { ArgumentSchema } from '../arguments.ts';

const { l10n } = vscode;

const healthcheck = {
  check: isHealthcheck,
  expected: l10n.t(
    'false, or an object with test, interval, timeout, startPeriod and retries, each as it is needed',
  ),
};

const cpus = {
  check: (value: unknown) => typeof value === 'number' && Number.isFinite(value),
  expected: l10n.t('a number'),
};

/** What the argument of a command that creates a container must be; what its words must be, `createSpec` checks. */
export const createSchema: ArgumentSchema & Record<keyof CreateArguments, ArgumentSchema[string]> =
  {
    image: { kind: 'text', required: true },
    cmd: { kind: 'texts' },
    entrypoint: { kind: 'texts' },
    name: { kind: 'text' },
    env: { kind: 'texts' },
    unsetEnv: { kind: 'texts' },
    ports: { kind: 'texts' },
    mounts: { kind: 'texts' },
    labels: { kind: 'textMap' },
    restart: { kind: 'text' },
    autoRemove: { kind: 'boolean' },
    tty: { kind: 'boolean' },
    openStdin: { kind: 'boolean' },
    network: { kind: 'text' },
    hostname: { kind: 'text' },
    dns: { kind: 'texts' },
    extraHosts: { kind: 'texts' },
    publishAll: { kind: 'boolean' },
    workingDir: { kind: 'text' },
    user: { kind: 'text' },
    healthcheck: { kind: healthcheck },
    stopSignal: { kind: 'text' },
    stopTimeout: { kind: 'wholeNumber' },
    memory: { kind: 'text' },
    shmSize: { kind: 'text' },
    cpus: { kind: cpus },
    pidsLimit: { kind: 'wholeNumber' },
    init: { kind: 'boolean' },
    readOnly: { kind: 'boolean' },
    privileged: { kind: 'boolean' },
    capAdd: { kind: 'texts' },
    capDrop: { kind: 'texts' },
    securityOpt: { kind: 'texts' },
    devices: { kind: 'texts' },
    tmpfs: { kind: 'texts' },
    platform: { kind: 'text' },
    start: { kind: 'boolean' },
  };
