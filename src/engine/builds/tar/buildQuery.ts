/** The parameters of `POST /build`. */

import type { Query } from '../../http/engineRequest.ts';
import type { BuildRequest } from '../model.ts';

/** Returns the query for a build. Undefined parameters are not sent. */
export function buildQuery({ request, dockerfile, builder, secrets }: TarBuild): Query {
  const { tags, target, args, labels, platforms, noCache, pull, network, addHosts } = request;
  const isBuildah = builder === 'buildah';
  const secretTexts = [...secrets].map(([id, name]) => `id=${id},src=${name}`);
  return {
    // Without it, Docker takes the classic builder, which builds something else.
    ...(!isBuildah && { version: builder === 'classic' ? 1 : 2 }),
    // Otherwise the container of a failed or canceled step stays.
    ...(builder !== 'buildkit' && { rm: true, forcerm: true }),
    dockerfile,
    t: tags,
    target,
    buildargs: jsonOf(args),
    labels: jsonOf(labels),
    platform: platforms?.[0],
    nocache: noCache === true ? true : undefined,
    pull: pull === true ? true : undefined,
    networkmode: network === 'default' ? undefined : network,
    extrahosts: addHosts && (isBuildah ? JSON.stringify(addHosts) : addHosts),
    secrets: secretTexts.length > 0 ? JSON.stringify(secretTexts) : undefined,
  };
}

/** Build of a context that is sent as a tar. */
export interface TarBuild {
  readonly request: BuildRequest;
  /** The path of the Dockerfile in the tar. */
  readonly dockerfile: string;
  readonly builder: 'buildah' | 'buildkit' | 'classic';
  /** The names of the files in the tar by the ids of the secrets. */
  readonly secrets: ReadonlyMap<string, string>;
}

function jsonOf(values: Readonly<Record<string, string>> | undefined): string | undefined {
  return values && Object.keys(values).length > 0 ? JSON.stringify(values) : undefined;
}
