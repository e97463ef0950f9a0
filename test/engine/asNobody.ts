// Says how a connection fails for somebody without any right: node test/engine/asNobody.ts ADDRESS
// Root never lacks permission, so the process gives up being root once it has read its modules.
import { openConnection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/discovery/endpoint.ts';
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
