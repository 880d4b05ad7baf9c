import { expect, test } from 'vitest';
import { hash } from '@oddlot/units';
import { executedReply } from './exchange-reply.ts';

test.each([
  ['BAD_REQUEST', 10002, 400],
  ['MARGIN', 10010, 200],
])(
  'without confirm, an action rejected with %s has the status of a rejected request',
  (name, code, status) => {
    const error = { code, name, message: 'No' };
    const result = { type: 'VenueAdmin', statuses: [{ error: 'No' }] as [{ error: string }] };
    const outcome = { result, error, refused: true, warnings: [] };
    const executed = { txHash: hash(`0x${'1'.repeat(64)}`), height: 7, outcome };
    const plain = executedReply(executed, false);
    expect(plain.status).toBe(status);
    expect(JSON.parse(plain.body)).toMatchObject({ status: 'err', code, name, message: 'No' });
    // With `confirm`, the client gets the result of the action; the request itself is not rejected.
    expect(executedReply(executed, true).status).toBe(200);
  },
);
