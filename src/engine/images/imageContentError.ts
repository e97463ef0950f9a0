/** Thrown if an image cannot be read, although the engine answered. */
export class ImageContentError extends Error {
  /** `missingLayers`: the engine does not have them. `zstandard`: nothing here decompresses them. */
  readonly problem: 'missingLayers' | 'zstandard';

  constructor(problem: ImageContentError['problem']) {
    super(problem);
    this.name = 'ImageContentError';
    this.problem = problem;
  }
}
