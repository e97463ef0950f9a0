/** Where an engine listens. */
export interface Endpoint {
  /** As a URL, fit to show: `unix:///var/run/docker.sock`. */
  readonly url: string;
  readonly transport:
    | { readonly kind: 'socket'; readonly path: string }
    | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly base: string };
  /** What made us look there. */
  readonly source: 'setting' | 'environment' | 'wellKnown';
}
