import assert from 'node:assert/strict';
import {
  CHANGE_INSTRUCTIONS,
  INSTRUCTION_TEMPLATES,
  checkChange,
} from '../../../../src/engine/options/checkChange.ts';
import { InputError } from '../../../../src/engine/errors.ts';
import { english } from '../../../../src/l10n.ts';

describe('engine/checkChange', () => {
  it('has a valid template for each instruction', () => {
    assert.equal(INSTRUCTION_TEMPLATES.length, CHANGE_INSTRUCTIONS.length);
    for (const template of INSTRUCTION_TEMPLATES)
      assert.equal(checkChange(template, english), template);
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
    it(`accepts ${change}`, () => {
      assert.equal(checkChange(change, english), change);
    });
  }

  const bad: [change: string, sentence: RegExp][] = [
    ['RUN make', /^"RUN" cannot be changed by a commit\. Possible are CMD, /],
    ['', /^"" cannot/],
    ['constructor x', /^"constructor" cannot/],
    ['ENV ', /^The change "ENV" says nothing/],
    ['ENV A=1\nRUN make', /^The change "ENV …" has several lines/],
    ['ENV A=1\0', /no text has/],
    ['CMD ["sh", ]', /^"\["sh", \]" is no list/],
    ["CMD ['sh']", /is no list/],
    ['ENTRYPOINT [1]', /is no list/],
    ['ENV A=1 B', /^"B" is no NAME=value/],
    ['ENV ALONE', /^"ALONE" is no NAME=value/],
    ['ENV =1', /^"=1" is no NAME=value/],
    ['ENV A="open', /has no second one/],
    ['LABEL x', /no NAME=value/],
    ['EXPOSE http', /^"http" is no port/],
    ['EXPOSE 0', /is no port/],
    ['EXPOSE 70000', /is no port/],
    ['EXPOSE 20-10', /is no port/],
    ['EXPOSE 80/icmp', /is no port/],
    ['HEALTHCHECK curl', /NONE, or by CMD/],
    ['HEALTHCHECK CMD ["curl"', /is no list/],
    ['ONBUILD ONBUILD RUN x', /not by ONBUILD/],
    ['ONBUILD FROM x', /not by ONBUILD/],
    ['ONBUILD RUN', /followed by another instruction/],
    ['STOPSIGNAL 99', /no signal/],
    ['STOPSIGNAL kill it', /no signal/],
    ['USER two words', /no user/],
    ['VOLUME data', /begins with a slash/],
    ['VOLUME []', /begins with a slash/],
    ['VOLUME ["data"', /no list/],
    ['WORKDIR app', /begins with a slash/],
  ];
  for (const [change, sentence] of bad) {
    it(`rejects ${JSON.stringify(change)}`, () => {
      assert.throws(
        () => checkChange(change, english),
        (error) => error instanceof InputError && sentence.test(error.message),
      );
    });
  }
});
