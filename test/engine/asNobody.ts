// Prints how a connection fails for a user without permissions: node test/engine/asNobody.ts ADDRESS
// Root never lacks permission, so the process drops its root privileges after it has loaded its modules.
import { openConnection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { EngineError } from '../../src/engine/errors.ts';

const NOBODY = 65534;

const connection = openConnection(parseEndpoint(process.argv[2] ?? '', 'setting'));
process.setgroups?.([]);
process.setgid?.(NOBODY);
process.setuid?.(NOBODY);
const outcome = await connection.info().then(
  () => 'let in',
  (error: unknown) => (error instanceof EngineError ? error.reason : String(error)),
);
connection.dispose();
process.stdout.write(outcome);
