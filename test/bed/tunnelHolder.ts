// Holds a tunnel open until killed: node test/bed/tunnelHolder.ts OPTIONS TRANSPORT, both as JSON.
import type { SshTransport } from '../../src/engine/http/endpoint.ts';
import type { SshOptions } from '../../src/engine/ssh/sshLogin.ts';
import { sshTunnels } from '../../src/engine/ssh/sshTunnels.ts';

const options = JSON.parse(process.argv[2]!) as Omit<SshOptions, 'ask'>;
const transport = JSON.parse(process.argv[3]!) as SshTransport;
const tunnel = sshTunnels({ ...options, ask: () => Promise.resolve(undefined) })(transport, 'ssh');
console.log(await tunnel.open());
