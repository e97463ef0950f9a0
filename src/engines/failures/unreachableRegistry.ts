import { sentence, type Sentence } from '../../base/sentence.ts';
import { translate } from '../../base/translate.ts';
import { EngineError, type FailureReason } from '../../engine/errors.ts';

/**
 * Returns sentences that say why an engine could not reach a registry, without the words of the engine.
 *
 * @param error of a request that the engine forwards to the registry, such as a pull.
 * @param registry the host with its port, as in image names.
 * @returns undefined for any other error.
 */
export function unreachableRegistry(error: unknown, registry: string): string | undefined {
  if (!(error instanceof EngineError) || !PASSED_ON.includes(error.reason)) return undefined;
  const { engineMessage = '' } = error;
  const problem = PROBLEMS.find(({ pattern }) => pattern.test(engineMessage));
  return problem && translate({ ...problem.message, values: [registry] });
}

/** The reasons of errors in which an engine passes on what it met. All others are of the engine's own connection. */
const PASSED_ON: readonly FailureReason[] = ['failed', 'notFound', 'badRequest', 'unauthorized'];

interface RegistryProblem {
  /** In the messages of Go's network library, which all engines pass on. */
  readonly pattern: RegExp;
  readonly message: Sentence;
}

/** The first that matches: a failed lookup has the failure of its own connection in it. */
const PROBLEMS: readonly RegistryProblem[] = [
  {
    pattern: /\bproxyconnect /,
    message: sentence(
      'The engine cannot reach {0} through its proxy. Check the proxy settings of the engine.',
    ),
  },
  {
    pattern: /network is (?:unreachable|down)|no route to host|host is (?:unreachable|down)/,
    message: sentence(
      'The engine cannot reach {0} (no network). Check the network connection of the engine.',
    ),
  },
  {
    pattern: /\blookup |no such host|name resolution/,
    message: sentence(
      'The engine cannot reach {0} (host not found). Check the name and the DNS settings of the engine.',
    ),
  },
  {
    pattern: /server gave HTTP response to HTTPS client|does not look like a TLS handshake/,
    message: sentence(
      '{0} does not use TLS. Add it to the insecure registries of the engine, or check the port.',
    ),
  },
  {
    pattern: /x509: certificate has expired/,
    message: sentence(
      'The TLS certificate of {0} is not valid now. Renew it, or check the clock of the engine.',
    ),
  },
  {
    pattern: /x509: |certificate signed by unknown authority/,
    message: sentence(
      'The engine does not trust the TLS certificate of {0}. Add its CA certificate to the engine.',
    ),
  },
  {
    pattern: /\b(?:remote error: )?tls: /,
    message: sentence(
      'The engine cannot reach {0} (TLS error). Check the TLS settings of the registry.',
    ),
  },
  {
    pattern:
      /(?:i\/o|TLS handshake|operation) timeout|deadline exceeded|Client\.Timeout|timed out|\b50[34] (?:Service Unavailable|Gateway Time-?out)/i,
    message: sentence('{0} is not responding to the engine. Try again later.'),
  },
  {
    pattern: /connection refused/,
    message: sentence(
      'The engine cannot reach {0} (connection refused). Check that the registry is running.',
    ),
  },
  {
    pattern: /connection reset by peer|broken pipe|\bEOF$/,
    message: sentence('{0} closed the connection of the engine. Try again.'),
  },
];
