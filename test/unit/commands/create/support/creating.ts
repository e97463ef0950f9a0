import type {
  CommandContext,
  WindowServices,
} from '../../../../../src/commands/frame/commandContext.ts';
import { idOf } from '../../../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../../../support/commandLab.ts';
import { json } from '../../../support/fakeEngine.ts';
import { pick, type, type Answer, type Shown } from '../../../support/scriptedUi.ts';

/** The ID of the container that the engine creates. */
export const CREATED = idOf('c');

/** The state and behavior of the fake engine. */
export interface CreatingOptions {
  /** The configuration of the image; undefined if the engine does not have it. */
  readonly image?: object | undefined;
  /** The error message of the first create, which is rejected. */
  readonly refusal?: string;
  /** Further errors, by method and end of the path, such as `POST /start`. */
  readonly failures?: Readonly<Record<string, readonly [status: number, message: string]>>;
  /** The inspect response of a container. */
  readonly container?: object;
  /** The names of the networks and volumes of the engine. */
  readonly networks?: readonly string[];
  readonly volumes?: readonly string[];
  /** Whether a request is left without a response. */
  readonly isHeld?: (path: string) => boolean;
  readonly services?: Partial<WindowServices>;
  readonly logs?: CommandContext['logs'];
}

/** Opens a lab whose engine has one image, and creates and starts containers. */
export function openCreatingLab(options: CreatingOptions): Promise<CommandLab> {
  let { image, refusal } = options;
  return openCommandLab(
    (request, response) => {
      const { method, path } = request;
      const failure = options.failures?.[`${method} /${path.split('/').at(-1) ?? ''}`];
      if (options.isHeld?.(path)) return;
      if (failure) {
        json(response, failure[0], { message: failure[1] });
      } else if (path === '/networks') {
        json(response, 200, (options.networks ?? []).map(networkOf));
      } else if (path === '/volumes') {
        json(response, 200, { Volumes: (options.volumes ?? []).map((Name) => ({ Name })) });
      } else if (path === '/images/create') {
        image = {};
        response.end(JSON.stringify({ status: 'Pull complete' }));
      } else if (path === '/containers/create' && !image && !options.container) {
        json(response, 404, { message: 'no such image' });
      } else if (path.startsWith('/images/')) {
        if (!image) json(response, 404, { message: 'no such image' });
        else json(response, 200, { Id: `sha256:${idOf('a')}`, Config: image });
      } else if (path === '/containers/create' && refusal !== undefined) {
        json(response, 400, { message: refusal });
        refusal = undefined;
      } else if (path === '/containers/create') {
        json(response, 201, { Id: CREATED, Warnings: [] });
      } else if (path.endsWith('/wait')) {
        json(response, 200, { StatusCode: 0 });
      } else if (method === 'POST') {
        response.writeHead(204).end();
      } else {
        json(response, 200, { Id: CREATED, Name: '/made', ...options.container });
      }
    },
    { window: options.services, ...(options.logs && { logs: options.logs }) },
  );
}

function networkOf(Name: string, index: number): object {
  return { Name, Id: index.toString(16).padStart(64, '0'), Driver: 'bridge' };
}

/** Returns the requests that change something: their paths, with the name of a created container. */
export function changes({ engine }: CommandLab): readonly string[] {
  return engine.seen
    .filter(({ method }) => method === 'POST')
    .map(({ path, query }) => [path, query.get('name') ?? ''].join(' ').trim());
}

/** Returns the body of the last create request. */
export function createdBody({ engine }: CommandLab): CreateBody {
  const request = engine.seen.findLast(({ path }) => path === '/containers/create');
  return JSON.parse(request?.body ?? '{}') as CreateBody;
}

/** The fields that tests check. */
export interface CreateBody {
  readonly Image: string;
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly Labels?: Readonly<Record<string, string>>;
  readonly Healthcheck?: { readonly Test: readonly string[] };
  readonly HostConfig: {
    readonly Binds?: readonly string[];
    readonly Memory?: number;
    readonly PortBindings?: Readonly<Record<string, readonly { readonly HostPort: string }[]>>;
  };
}

/** Returns the values of an overview by label. */
export function valuesOf({ items = [] }: Shown): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(items.map(({ label, description }) => [label, description]));
}

/** Adds an entry to a list field. */
export function add(label: string, entry: string): readonly Answer[] {
  return [pick(label), type(entry), pick('Done')];
}

/** Sets the value of a text field. */
export function fillIn(label: string, text: string): readonly Answer[] {
  return [pick(label), () => text];
}
