import { InputError } from '../errors.ts';
import { openBuilder } from './grpc/builderConnection.ts';
import type { Connection } from '../http/connection.ts';
import { LIST_WORKERS } from './controlMessages.ts';
import type { BuildRequest } from './model.ts';
import { sentence } from '../../base/sentence.ts';

/** In place of an address: that of the host of the engine. */
const HOST_GATEWAY = 'host-gateway';

const LABEL = 'org.mobyproject.buildkit.worker.moby.host-gateway-ip';

/**
 * Returns a request with addresses for `host-gateway`, which BuildKit leaves to its clients.
 *
 * @throws InputError if the engine does not report the address.
 */
export async function withHostGateway<Request extends BuildRequest>(
  connection: Connection,
  request: Request,
  { signal }: { readonly signal: AbortSignal },
): Promise<Request> {
  const { addHosts = [] } = request;
  if (!addHosts.some(isHostGateway)) return request;
  const address = await readAddress(connection, signal);
  if (address === undefined)
    throw new InputError(
      sentence('This engine does not report an address for {0}. Use an IP address.', HOST_GATEWAY),
    );
  const exact = addHosts.map((entry) =>
    isHostGateway(entry) ? `${entry.slice(0, -HOST_GATEWAY.length)}${address}` : entry,
  );
  return { ...request, addHosts: exact };
}

function isHostGateway(entry: string): boolean {
  return /[:=]host-gateway$/.test(entry);
}

async function readAddress(
  connection: Connection,
  signal: AbortSignal,
): Promise<string | undefined> {
  const builder = await openBuilder(connection, signal);
  try {
    const { workers } = await builder.client.call(LIST_WORKERS, {}, signal);
    const addresses = workers.map(({ labels }) => labels.get(LABEL) ?? '');
    return addresses.find((address) => /^[\da-fA-F.:]{2,45}$/.test(address));
  } finally {
    builder.dispose();
  }
}
