import type { Command } from '../../../../src/commands/frame/command.ts';
import type { CommandLab } from '../../support/commandLab.ts';
import { ENGINE, openCommandLab } from '../../support/commandLab.ts';
import type { Container, Network } from '../../../../src/engine/model.ts';
import { json } from '../../support/fakeEngine.ts';
import type { Answer } from '../../support/scriptedUi.ts';
import { container, idOf, network } from '../../inventory/support/nouns.ts';

/** Commands on a fake engine with three networks and three containers. */
export interface NetworkLab extends CommandLab {
  /** Changes of the engine, in order: method, path, and body. */
  readonly changes: readonly (readonly [operation: string, body: unknown])[];
  /** The containers that were listed again. */
  readonly rechecked: readonly string[];
  /** How the engine answers changes: a status and a message; done by default. */
  refuse: ((path: string) => readonly [status: number, message: string] | undefined) | undefined;
  /** Removes all containers, as another client. */
  removeContainers(): void;
  /** Runs a command with the reactions of the user, with or without rows. */
  act(
    command: Command,
    nodes: Parameters<CommandLab['run']>[1][],
    ...answers: readonly Answer[]
  ): Promise<unknown>;
}

export const APP: Network = network('1', { name: 'app', subnets: [{ subnet: '10.1.0.0/24' }] });
export const OLD: Network = network('2', { name: 'old' });
export const USUAL: Network = network('3', { name: 'bridge' });

const onApp = { name: 'app', networkId: APP.id };
export const WEB: Container = container('a', {
  name: 'web',
  networks: [{ ...onApp, ip: '10.1.0.2' }],
});
export const STOPPED: Container = container('b', {
  name: 'job',
  state: 'exited',
  networks: [onApp],
});
export const LONE: Container = container('c', { name: 'lone' });

/** Opens a lab. Close it in `afterEach`. */
export async function openNetworkLab(): Promise<NetworkLab> {
  const changes: (readonly [string, unknown])[] = [];
  const rechecked: string[] = [];
  const networks = [APP, OLD, USUAL];
  const containers = [WEB, STOPPED, LONE];
  const gone = new Set<string>();
  const lab = await openCommandLab(({ method, path, body }, response) => {
    const here = networks.filter(({ id }) => !gone.has(id));
    if (method === 'GET' && path === '/networks') json(response, 200, here.map(networkOnWire));
    else if (path === '/containers/json') json(response, 200, containers.map(containerOnWire));
    else if (method === 'GET') answerInspect(path);
    else {
      changes.push([`${method} ${path}`, body === '' ? undefined : JSON.parse(body)]);
      const refused = opened.refuse?.(path);
      const [, id = ''] = /^\/networks\/([^/]+)/.exec(path) ?? [];
      if (refused) json(response, refused[0], { message: refused[1] });
      else if (path === '/networks/create') json(response, 201, { Id: idOf('9') });
      else {
        if (method === 'DELETE') gone.add(id);
        response.writeHead(method === 'DELETE' ? 204 : 200).end();
      }
    }

    function answerInspect(of: string): void {
      const network = here.find(({ id }) => of === `/networks/${id}`);
      const found = containers.find(({ id, name }) =>
        [`/containers/${id}/json`, `/containers/${name}/json`].includes(of),
      );
      if (network) json(response, 200, networkOnWire(network));
      else if (found) json(response, 200, inspectOnWire(found));
      else json(response, 404, { message: 'not found' });
    }
  });
  lab.context.unit.requests.recheck = (id) => void rechecked.push(id);
  lab.list(containers);
  const opened: NetworkLab = Object.assign(lab, {
    changes,
    rechecked,
    refuse: undefined,
    removeContainers: () => {
      containers.length = 0;
    },
    act: (command: Command, nodes: never[], ...answers: readonly Answer[]) => {
      lab.ui.act(...answers);
      return lab.run(command, ...nodes);
    },
  });
  return opened;
}

/** Returns the row of a network with the row of each container on it. */
export async function networkRow(lab: CommandLab, of: Network, engine = ENGINE) {
  const { NetworkNode } = await import('../../../../src/views/networks/networkNode.ts');
  const node = new NetworkNode(engine, of);
  const { inventory } = lab;
  node.update(of, { inventory } as unknown as Parameters<typeof node.update>[1]);
  return node;
}

function networkOnWire({ id, name, driver, subnets }: Network): object {
  const Config = subnets.map(({ subnet }) => ({ Subnet: subnet }));
  return { Id: id, Name: name, Driver: driver, IPAM: { Config }, Labels: { a: 'b' } };
}

function containerOnWire(one: Container): object {
  return {
    Id: one.id,
    Names: [`/${one.name}`],
    State: one.state,
    NetworkSettings: settingsOf(one),
  };
}

function inspectOnWire(one: Container): object {
  const State = { Status: one.state };
  const about = { Config: { Hostname: 'host-name' }, HostConfig: { NetworkMode: 'app' }, State };
  return { Id: one.id, Name: `/${one.name}`, ...about, NetworkSettings: settingsOf(one) };
}

function settingsOf({ id, name: own, networks }: Container): object {
  const Aliases = ['db', own, id.slice(0, 12), 'host-name', 'api'];
  const Networks = networks.map(({ name, networkId, ip = '' }) => [
    name,
    { NetworkID: networkId, IPAddress: ip, Aliases },
  ]);
  return { Networks: Object.fromEntries(Networks) as object };
}
