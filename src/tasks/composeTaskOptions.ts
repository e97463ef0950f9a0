import * as l10n from '@vscode/l10n';
import { checkArguments, type ArgumentSchema } from '../commands/ui/checkArguments.ts';
import type { ServiceCondition } from '../projects/waitForServices.ts';

/** Definition of a task on a compose project, in tasks.json. */
export interface ComposeTaskOptions {
  readonly command: 'up' | 'down' | 'watch';
  readonly project?: string;
  /** Absolute paths, or relative to the workspace folder. */
  readonly files?: readonly string[];
  readonly services?: readonly string[];
  readonly profiles?: readonly string[];
  readonly envFiles?: readonly string[];
  readonly build?: boolean;
  readonly waitFor?: ServiceCondition;
  readonly volumes?: boolean;
  readonly images?: boolean;
  readonly engine?: string;
  /** Whether it is the project of the worktree that the files are in. */
  readonly worktree?: boolean;
}

const COMMANDS = ['up', 'down', 'watch'] as const;

const COMMON: ArgumentSchema = {
  command: { kind: { oneOf: COMMANDS }, required: true },
  project: { kind: 'text' },
  files: { kind: 'texts' },
  engine: { kind: 'text' },
  worktree: { kind: 'boolean' },
};

const WITH_SERVICES: ArgumentSchema = {
  ...COMMON,
  services: { kind: 'texts' },
  profiles: { kind: 'texts' },
  envFiles: { kind: 'texts' },
};

const SCHEMAS: Readonly<Record<ComposeTaskOptions['command'], ArgumentSchema>> = {
  up: {
    ...WITH_SERVICES,
    build: { kind: 'boolean' },
    waitFor: { kind: { oneOf: ['running', 'healthy', 'completed'] } },
  },
  watch: WITH_SERVICES,
  down: { ...COMMON, volumes: { kind: 'boolean' }, images: { kind: 'boolean' } },
};

/**
 * Reads a definition whose variables are already replaced.
 *
 * @throws InputError that names the first invalid field.
 */
export function readComposeTaskOptions({
  type: _type,
  ...fields
}: Readonly<Record<string, unknown>>): ComposeTaskOptions {
  const command = COMMANDS.find((one) => one === fields['command']);
  checkArguments(fields, command ? SCHEMAS[command] : COMMON, l10n.t('The task'));
  const { services, ...options } = fields as unknown as ComposeTaskOptions;
  // To Compose, an empty list means all.
  return services === undefined || services.length === 0 ? options : { ...options, services };
}
