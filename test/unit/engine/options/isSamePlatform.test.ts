import assert from 'node:assert/strict';

import { isSamePlatform, platformAsJson } from '../../../../src/engine/options/isSamePlatform.ts';

describe('platforms', () => {
  const same: [wanted: string, has: string][] = [
    ['linux/amd64', 'linux/amd64'],
    ['linux/x86_64', 'linux/amd64'],
    ['Linux/AArch64', 'linux/arm64'],
    ['linux/arm64', 'linux/arm64/v8'],
    ['linux/arm64/v8', 'linux/arm64'],
    ['linux/arm/v7', 'linux/arm/v7'],
    ['linux', 'linux/amd64'],
    ['arm64', 'linux/arm64'],
    ['linux/arm64', ''],
  ];
  for (const [wanted, has] of same) {
    it(`accept ${has || 'an unknown platform'} for ${wanted}`, () => {
      assert.equal(isSamePlatform(wanted, has), true);
    });
  }

  const other: [wanted: string, has: string][] = [
    ['linux/arm64', 'linux/amd64'],
    ['windows/amd64', 'linux/amd64'],
    ['linux/arm/v6', 'linux/arm/v7'],
    ['arm64', 'linux/amd64'],
    ['windows', 'linux/amd64'],
  ];
  for (const [wanted, has] of other) {
    it(`do not accept ${has} for ${wanted}`, () => {
      assert.equal(isSamePlatform(wanted, has), false);
    });
  }

  const written: [platform: string, json: string][] = [
    ['linux/arm64', '{"os":"linux","architecture":"arm64"}'],
    ['linux/ARM/v7', '{"os":"linux","architecture":"arm","variant":"v7"}'],
    ['x86_64', '{"os":"linux","architecture":"amd64"}'],
  ];
  for (const [platform, json] of written) {
    it(`write ${platform} as ${json}`, () => assert.equal(platformAsJson(platform), json));
  }
});
