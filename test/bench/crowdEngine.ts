// An engine with simulated containers, in a process of its own: `node crowdEngine.ts <socket> <count>`.
// Prints `ready` when it is listening. On a message with an action and a container, it sends the event and
// replies with the time of sending. Exits when it is killed or its parent exits.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { CrowdAction, CrowdMessage } from './crowdProcess.ts';

interface FakeContainer {
  readonly Id: string;
  Names: readonly string[];
  State: string;
  Status: string;
}

const [socket = '', count = '0'] = process.argv.slice(2);
const CREATED = 1_785_571_200;

/** The changes of a container by action. */
const CHANGES: Readonly<Record<CrowdAction, (container: FakeContainer) => Partial<FakeContainer>>> =
  {
    pause: () => ({ State: 'paused', Status: 'Up 2 hours (Paused)' }),
    unpause: () => ({ State: 'running', Status: 'Up 2 hours' }),
    rename: ({ Names: [name = ''] }) => ({
      Names: [name.endsWith('-new') ? name.slice(0, -4) : `${name}-new`],
    }),
    'health_status: healthy': () => ({ Status: 'Up 2 hours (healthy)' }),
    'health_status: unhealthy': () => ({ Status: 'Up 2 hours (unhealthy)' }),
    start: () => ({ State: 'running', Status: 'Up 1 second' }),
    die: () => ({ State: 'exited', Status: 'Exited (0) 1 second ago' }),
  };

/** Every second container is running. */
function make(index: number): FakeContainer {
  const isUp = index % 2 === 0;
  return {
    Id: index.toString(16).padStart(64, '0'),
    Names: [`/crowd-${index}`],
    State: isUp ? 'running' : 'exited',
    Status: isUp ? 'Up 2 hours' : 'Exited (0) 2 hours ago',
  };
}

/** Returns as much data as engines list for a container of a Compose project, but without project labels. */
function inFull(container: FakeContainer): object {
  return {
    ...container,
    Image: 'registry.example.com/team/service:1.2.3',
    ImageID: `sha256:${'a'.repeat(64)}`,
    Command: '/usr/local/bin/service --config /etc/service.yaml',
    Created: CREATED,
    Ports: [{ IP: '0.0.0.0', PrivatePort: 8080, PublicPort: 8080, Type: 'tcp' }],
    Labels: { 'org.opencontainers.image.version': '1.2.3', 'com.example.team': 'one of ours' },
    HostConfig: { NetworkMode: 'default' },
    NetworkSettings: { Networks: { bridge: { NetworkID: 'b'.repeat(64), Gateway: '172.17.0.1' } } },
    Mounts: [],
  };
}

const crowd = new Map(
  Array.from({ length: Number(count) }, (_, index) => make(index)).map((one) => [one.Id, one]),
);
const listeners = new Set<ServerResponse>();

function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('api-version', '1.41');
  response.setHeader('server', 'Docker/20.10.24 (linux)');
  const { pathname, searchParams } = new URL(url, 'http://engine');
  if (pathname.endsWith('/events')) listen(response);
  else if (pathname.endsWith('/containers/json')) list(searchParams.get('filters'), response);
  else response.end(pathname.endsWith('/_ping') ? 'OK' : '[]');
}

function listen(response: ServerResponse): void {
  listeners.add(response);
  response.on('close', () => listeners.delete(response));
  response.flushHeaders();
}

function list(filters: string | null, response: ServerResponse): void {
  const { id } = JSON.parse(filters ?? '{}') as { readonly id?: readonly string[] };
  const found = id ? id.map((one) => crowd.get(one)).filter((one) => one) : [...crowd.values()];
  response.end(JSON.stringify(found.map((one) => one && inFull(one))));
}

function happen({ action, index }: CrowdMessage): void {
  const container = [...crowd.values()][index];
  if (!container) return;
  Object.assign(container, CHANGES[action](container));
  const record = { Type: 'container', Action: action, Actor: { ID: container.Id } };
  const bytes = `${JSON.stringify({ ...record, time: CREATED })}\n`;
  const at = process.hrtime.bigint();
  for (const response of listeners) response.write(bytes);
  process.send?.(String(at));
}

createServer(answer).listen(socket, () => {
  console.log('ready');
});
process.on('message', happen);
process.on('disconnect', () => process.exit());
