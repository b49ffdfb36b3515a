import { S3_CALLS } from '../../store/s3-calls.js';
import { versionOf } from '../workload/mixed-objects.js';
import { QUICK_PREFLIGHT, defineOperation } from './operation.js';

export const write = defineOperation({
  name: 'write',
  call: S3_CALLS.PutObject,
  effect: 'creates',
  needsObject: false,
  transfer: 'sends',
  canTakeParts: true,
  billingClass: 'A',
  isDefaultStage: true,
  preflight: QUICK_PREFLIGHT,
  async attempt(record) {
    const { connection, localIndex, index, size, state, workload } = record;
    const { payload, mixed, ledger } = workload;
    record.body = payload.bodyOf(index, size, versionOf(state));
    await connection.send(this.call, record);
    // If an earlier attempt takes effect late, the ETag may become another one, although the bytes are the same.
    const isUncertain = mixed && record.outcomeUnknown;
    ledger.add(localIndex, isUncertain ? 0 : connection.reply.etagDigest);
    mixed?.answer(localIndex, state);
  },
});
