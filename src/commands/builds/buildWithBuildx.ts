import * as l10n from '@vscode/l10n';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  buildxArguments,
  type BuildxOptions,
  type BuildxSecret,
} from '../../builds/buildx/buildxArguments.ts';
import { runBuildx, type RunShown } from '../../builds/buildx/runBuildx.ts';
import { builtImage } from '../../engine/builds/buildWithBuildKit.ts';
import type { BuildEvent, BuildRequest, BuildResult } from '../../engine/builds/model.ts';
import { EngineError, InputError } from '../../engine/errors.ts';
import { tryParseJson } from '../../engine/wire/parseJson.ts';
import { asId, asRecord, asText } from '../../engine/wire/wire.ts';
import { isSecretName, isSecretValue } from '../../engine/options/secretDetection.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import type { BuildArguments } from './buildArguments.ts';
import { buildxCall, requireBuildx } from '../../builds/buildx/buildxCalls.ts';
import { BUILDX_TASK_TYPE } from '../../base/registeredTypes.ts';
import type { Ui } from '../ui/ui.ts';
import { canStore } from './chooseBuilder.ts';

/**
 * Builds an image with a builder of `docker buildx`.
 *
 * @throws InputError if there is no buildx, or it cannot get a secret; otherwise as `runBuildx`.
 */
export async function buildWithBuildx(
  context: CommandContext,
  request: BuildRequest,
  build: BuildxBuild,
  { title, onEvent, signal, run }: BuildxControls,
): Promise<BuildResult> {
  const { ui, window } = context;
  const cli = await requireBuildx(ui.isTrusted(), window.findBuildx);
  const secrets = secretsOf(build, request.context);
  const hidden = hiddenArguments(request);
  const connection = await context.engine.connect(signal);
  const isStored = build.push !== true && (await canStore(connection, request, signal));
  const otherwise = build.push === true ? 'push' : 'cache';
  const output = isStored ? 'load' : otherwise;
  const folder = await mkdtemp(join(tmpdir(), 'gantry-buildx-'));
  try {
    const metadata = join(folder, 'metadata.json');
    const options = { builder: build.builder, secrets, hidden, output, metadata } as const;
    const values = Object.entries(request.args ?? {}).filter(([name]) => hidden.has(name));
    const args = buildxArguments(cli, request, options);
    const call = buildxCall(connection, cli, args, Object.fromEntries(values));
    const dockerfileOf = (): string => request.dockerfile;
    await runBuildx({ call, title, run: run ?? inBuildxTask(ui), onEvent, signal, dockerfileOf });
    const result = await readMetadata(metadata);
    return output === 'load'
      ? await builtImage(connection, result, 'docker buildx')
      : elsewhere(result, output === 'push' ? 'pushed' : 'cached');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Arguments of a build by buildx besides the request. */
export type BuildxBuild = Pick<BuildArguments, 'secrets' | 'push'> & { readonly builder: string };

/** Returns what runs buildx in a task of its own. */
export function inBuildxTask(ui: Ui): RunShown {
  return (call, options) => ui.runTask(call, { type: BUILDX_TASK_TYPE, ...options });
}

export interface BuildxControls {
  readonly title: string;
  readonly onEvent: (event: BuildEvent) => void;
  readonly signal: AbortSignal;
  /** By default, it is shown in a task of its own. */
  readonly run?: RunShown | undefined;
}

/** The image is not on the engine: its digest is all that is known. */
function elsewhere(
  result: ReadonlyMap<string, string>,
  isElsewhere: NonNullable<BuildResult['isElsewhere']>,
): BuildResult {
  const digest = asId(result.get('containerimage.digest'));
  if (digest !== '') return { imageId: digest, digest, isElsewhere };
  throw new EngineError('badAnswer', { operation: 'docker buildx' });
}

/** buildx reads secrets itself, when the build asks for them. */
function secretsOf({ secrets = {} }: BuildxBuild, context: string): BuildxOptions['secrets'] {
  const entries = Object.entries(secrets).map(([id, source]): readonly [string, BuildxSecret] => {
    if ('file' in source) return [id, { file: resolve(context, source.file) }];
    if (!('env' in source))
      throw new InputError(
        l10n.t(
          'docker buildx cannot ask for the secret {0}. Use a file or an environment variable.',
          formatName(id),
        ),
      );
    if (process.env[source.env] !== undefined) return [id, source];
    throw new InputError(
      l10n.t('Environment variable {1} for the secret {0} is not set.', formatName(id), source.env),
    );
  });
  return Object.fromEntries(entries);
}

/**
 * Returns the arguments that look like secrets. Their values must not be in the command, which is shown, so they are in
 * its environment.
 *
 * @throws InputError for a name that means something to the program itself, or to one that it starts.
 */
function hiddenArguments({ args = {} }: BuildRequest): ReadonlySet<string> {
  const found = Object.entries(args).filter(
    ([name, value]) => isSecretName(name) || isSecretValue(value),
  );
  const used = found.find(
    ([name, value]) =>
      process.env[name] !== value && (process.env[name] !== undefined || OWN_VARIABLE.test(name)),
  );
  if (used)
    throw new InputError(
      l10n.t(
        'Build argument {0} may be a secret, and buildx may use a variable of this name. Use a build secret.',
        formatName(used[0]),
      ),
    );
  return new Set(found.map(([name]) => name));
}

/** The variables of the Docker CLI, of what it starts (ssh, git, credential helpers), and of the system's loader. */
const OWN_VARIABLE =
  /^(?:(?:DOCKER|BUILDX|BUILDKIT|EXPERIMENTAL|COMPOSE|CONTAINERS?|PODMAN|REGISTRY|LD|DYLD|SSH|GPG|GNUPG|XDG|KRB5|GRPC|OTEL|SSL|KUBE|KUBERNETES|AWS|AZURE|ARM|GOOGLE|CLOUDSDK|ACTIONS|BASH|LC|OPENSSL|DBUS|PASSWORD_STORE)_.*|GIT_(?!TOKEN$).*|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS)|(?:PYTHON|PERL|RUBY).*|(?:.*_)?(?:ASKPASS|PROXY)|GO[A-Z0-9]+|DOCKER.*|PATH(?:EXT)?|HOME.*|USER.*|LOGNAME|SHELL|ENV|IFS|PWD|TE?MP|TMPDIR|LANG|TZ|TERM|DISPLAY|KUBECONFIG|(?:LOCAL)?APPDATA|PROGRAM.*|SYSTEM.*|WINDIR|COMSPEC|GITHUB_ACTIONS)$/i;

/** In bytes. It may have the provenance of the image. */
const METADATA_LIMIT = 16 * 1024 * 1024;

async function readMetadata(path: string): Promise<ReadonlyMap<string, string>> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const text = size > METADATA_LIMIT ? '' : await file.readFile('utf8');
    const entries = Object.entries(asRecord(tryParseJson(text)));
    return new Map(entries.map(([name, value]) => [name, asText(value)]));
  } finally {
    await file.close();
  }
}
