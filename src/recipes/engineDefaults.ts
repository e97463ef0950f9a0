/** Defaults of an engine for containers that do not choose otherwise. */

import { capabilitiesOf } from '../engine/capabilities/capabilities.ts';
import { containerPath, asRecord, asText, asTexts } from '../engine/wire/wire.ts';
import type { Connection } from '../engine/http/connection.ts';
import { isOfPodman } from '../engine/options/optionReaders.ts';

type Wire = Readonly<Record<string, unknown>>;

/** Defaults of an engine. What is not known is undefined. */
export interface EngineDefaults {
  readonly isPodman: boolean;
  /** Default values of fields of `HostConfig`, besides empty ones. */
  readonly usual: Readonly<Record<string, readonly unknown[]>>;
  readonly logDriver: string | undefined;
  readonly hostName: string | undefined;
}

/**
 * Requests what tells chosen settings from defaults: `GET /info`, and from Podman the runtime, which is missing in its
 * compatible API (`GET /libpod/containers/{id}/json`).
 *
 * @param id the full ID of the container.
 */
export async function fetchEngineFacts(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<EngineFacts> {
  const { inspectsRuntime } = capabilitiesOf(await connection.info(signal));
  const info = (await connection.send({ method: 'GET', path: '/info', signal })).json();
  if (inspectsRuntime) return { info };
  const path = `/libpod${containerPath(id, 'json')}`;
  const found = await connection.send({ method: 'GET', path, signal });
  const runtime = asText(asRecord(found.json())['OCIRuntime']);
  return { info, ...(runtime !== '' && { runtime }) };
}

/** Result of {@link fetchEngineFacts}. */
export interface EngineFacts {
  /** The response of `GET /info`. */
  readonly info?: unknown;
  /** The runtime of the container, if its inspect response does not have it. */
  readonly runtime?: string;
}

/** Reads the defaults. @param container the complete inspect response. @param info the response of `GET /info`. */
export function engineDefaults(container: Wire, info: unknown): EngineDefaults {
  const wire = asRecord(info);
  const isPodman = isOfPodman(container);
  const [runtime, logDriver, hostName] = ['DefaultRuntime', 'LoggingDriver', 'Name'].map((name) =>
    asText(wire[name]) === '' ? undefined : asText(wire[name]),
  );
  return {
    isPodman,
    logDriver,
    hostName,
    usual: {
      CgroupParent: isPodman ? ['user.slice', 'machine.slice', '/libpod_parent'] : [],
      CgroupnsMode: cgroupNamespaces(container, wire, isPodman),
      IpcMode: [isPodman ? 'shareable' : 'private'],
      Isolation: ['default', wire['Isolation']],
      PidMode: ['private'],
      Runtime: runtime === undefined ? ['runc', 'crun', 'oci'] : [runtime, 'oci'],
      UTSMode: ['private'],
      VolumeDriver: ['local'],
    },
  };
}

/** The default depends on the version of cgroups and on a setting of the engine. */
function cgroupNamespaces(container: Wire, info: Wire, isPodman: boolean): readonly string[] {
  const version = asText(info['CgroupVersion']);
  if (version === '') return ['host', 'private'];
  if (isPodman) return [version === '1' ? 'host' : 'private'];
  const isPrivileged = asRecord(container['HostConfig'])['Privileged'] === true;
  const isPrivate = asTexts(info['SecurityOptions']).includes('name=cgroupns');
  return [isPrivate && !(isPrivileged && version === '1') ? 'private' : 'host'];
}
