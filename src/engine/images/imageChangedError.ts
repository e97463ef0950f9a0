/** Thrown if the image changed while the user was asked. Nothing was done. */
export class ImageChangedError extends Error {
  readonly change: 'tagMoved' | 'tagReassigned' | 'lastTag' | 'newTags' | 'newUsers' | 'notPushed';

  constructor(change: ImageChangedError['change']) {
    super(change);
    this.name = 'ImageChangedError';
    this.change = change;
  }
}
