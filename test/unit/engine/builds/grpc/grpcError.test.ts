import assert from 'node:assert/strict';
import {
  readStatus,
  RPC_STATUS,
  statusHeaders,
} from '../../../../../src/engine/builds/grpc/grpcError.ts';

describe('the status of a gRPC call', () => {
  for (const [what, status] of [
    ['missing', undefined],
    ['no number', 'ok'],
    ['negative', '-1'],
    ['too long', '1234567890'],
  ] as const)
    it(`is unknown if it is ${what}`, () => {
      assert.equal(readStatus({ 'grpc-status': status }), undefined);
    });

  for (const [sent, words] of [
    [undefined, ''],
    ['plain', 'plain'],
    ['10%25 of %E2%82%AC', '10% of €'],
    ['100% %zz %', '100% %zz %'],
  ] as const)
    it(`has the words ${JSON.stringify(words)}`, () => {
      const status = readStatus({ 'grpc-status': '5', 'grpc-message': sent });
      assert.deepEqual([status?.code, status?.message, status?.details], [5, words, []]);
    });

  it('has details, unless they are invalid', () => {
    const details = [{ type: 'example.com/Source', value: Buffer.from('where') }];
    const sent = RPC_STATUS.encode({ code: 2, text: 'x', details });
    const detailsIn = (bytes: Buffer) =>
      readStatus({ 'grpc-status': '2', 'grpc-status-details-bin': bytes.toString('base64') })
        ?.details;
    assert.deepEqual(detailsIn(sent), details);
    assert.deepEqual(detailsIn(sent.subarray(0, -1)), []);
  });

  it('is written in what a header may have', () => {
    assert.deepEqual(statusHeaders(0), { 'grpc-status': '0' });
    assert.deepEqual(statusHeaders(2, 'a\n€ \ud800'), {
      'grpc-status': '2',
      'grpc-message': 'a%0A%E2%82%AC%20%EF%BF%BD',
    });
    assert.equal(statusHeaders(2, 'x'.repeat(2000))['grpc-message'], 'x'.repeat(1000));
  });
});
