import assert from 'node:assert/strict';
import {
  CHANGE_INSTRUCTIONS,
  INSTRUCTION_TEMPLATES,
  checkChange,
} from '../../../../src/engine/options/checkChange.ts';
import { InputError } from '../../../../src/engine/errors.ts';

describe('engine/checkChange', () => {
  it('has a valid template for each instruction', () => {
    assert.equal(INSTRUCTION_TEMPLATES.length, CHANGE_INSTRUCTIONS.length);
    for (const template of INSTRUCTION_TEMPLATES) assert.equal(checkChange(template), template);
  });

  const good = [
    'CMD sleep 10',
    'cmd ["sh", "-c", "echo [hello"]',
    'ENTRYPOINT []',
    'ENV A=1 B="two words" C=\'x y\' D=a\\ b',
    'ENV OLD way of writing it',
    'ENV EMPTY=',
    'EXPOSE 80 443/tcp 53/UDP 8000-8010',
    'HEALTHCHECK NONE',
    'HEALTHCHECK --interval=5s --retries=3 CMD curl -f http://localhost/',
    'LABEL "com.example.name"="a b" other=1',
    'ONBUILD RUN make',
    'STOPSIGNAL 9',
    'STOPSIGNAL SIGRTMIN+3',
    'USER 1000:1000',
    'VOLUME /a /b',
    'VOLUME ["/with space"]',
    'WORKDIR /a b',
  ];
  for (const change of good) {
    it(`accepts ${change}`, () => assert.equal(checkChange(change), change));
  }

  const bad: [change: string, sentence: RegExp][] = [
    ['RUN make', /^"RUN" is not supported\. Supported instructions: CMD, /],
    ['', /^"" is not supported/],
    ['constructor x', /^"constructor" is not supported/],
    ['ENV ', /^"ENV" requires an argument/],
    ['ENV A=1\nRUN make', /^"ENV …" has several lines/],
    ['ENV A=1\0', /^"ENV" contains an invalid character/],
    ['CMD ["sh", ]', /^"\["sh", \]" is not a JSON array/],
    ["CMD ['sh']", /is not a JSON array/],
    ['ENTRYPOINT [1]', /is not a JSON array/],
    ['ENV A=1 B', /^"B" is not an assignment\. Use the form NAME=value/],
    ['ENV ALONE', /^"ALONE" is not an assignment\. Use the form NAME=value/],
    ['ENV =1', /^"=1" is not an assignment\. Use the form NAME=value/],
    ['ENV A="open', /^Missing closing quotation mark in "A="open"/],
    ['LABEL x', /is not an assignment\. Use the form NAME=value/],
    ['EXPOSE http', /^"http" is not a port/],
    ['EXPOSE 0', /is not a port/],
    ['EXPOSE 70000', /is not a port/],
    ['EXPOSE 20-10', /is not a port/],
    ['EXPOSE 80/icmp', /is not a port/],
    ['HEALTHCHECK curl', /NONE, or CMD/],
    ['HEALTHCHECK CMD ["curl"', /is not a JSON array/],
    ['ONBUILD ONBUILD RUN x', /other than ONBUILD/],
    ['ONBUILD FROM x', /other than ONBUILD/],
    ['ONBUILD RUN', /^ONBUILD requires an instruction/],
    ['STOPSIGNAL 99', /is not a signal/],
    ['STOPSIGNAL kill it', /is not a signal/],
    ['USER two words', /is not a user/],
    ['VOLUME data', /is not an absolute path/],
    ['VOLUME []', /is not an absolute path/],
    ['VOLUME ["data"', /is not a JSON array/],
    ['WORKDIR app', /is not an absolute path/],
  ];
  for (const [change, sentence] of bad) {
    it(`rejects ${JSON.stringify(change)}`, () => {
      assert.throws(
        () => checkChange(change),
        (error) => error instanceof InputError && sentence.test(error.message),
      );
    });
  }
});
