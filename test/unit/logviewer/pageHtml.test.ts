import assert from 'node:assert/strict';
import { pageHtml } from '../../../src/logviewer/pageHtml.ts';
import { viewerStrings } from '../../../src/logviewer/viewerStrings.ts';

const PARTS = {
  cspSource: 'https://own.test',
  nonce: 'n0nce',
  script: 'https://own.test/logViewer.js',
  style: 'https://own.test/logViewer.css',
  title: 'web',
  language: 'en',
};

describe('document of the log viewer', () => {
  it("runs and loads only Gantry's own files", () => {
    const html = pageHtml(PARTS);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    assert.ok(policy.startsWith('default-src &#39;none&#39;; script-src &#39;nonce-n0nce&#39;; '));
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.equal(html.match(/<script/g)?.length, 1);
  });

  it('escapes the title', () => {
    const html = pageHtml({ ...PARTS, title: '</title><script>alert(1)</script>"' });
    assert.equal(html.match(/<script/g)?.length, 1);
    assert.match(html, /&lt;\/title&gt;/);
  });

  it('has a non-empty text for every key', () => {
    for (const text of Object.values(viewerStrings())) assert.match(text, /\S/);
  });
});
