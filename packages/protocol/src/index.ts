export * from './errors.ts';
export * from './limits.ts';
export * from './version.ts';
export * from './primitives.ts';
export * from './parse.ts';
export * from './check-binding.ts';
export { fieldPath, toWireError } from './to-wire-error.ts';
export * from './signature-schema.ts';
export * from './actions/registry.ts';
export { isAgentNameShort } from './actions/approve-agent.ts';
export { parseMaxFeeRate } from './actions/approve-builder-fee.ts';
export {
  isSignerSetSound,
  parseMultiSigSigners,
  type MultiSigSigners,
} from './actions/convert-to-multi-sig-user.ts';
export type { ActionDefinition, SignedBy } from './actions/define-action.ts';
export * from './json/scan.ts';
export { jsonRefusal } from './json/json-refusal.ts';
export { JsonFault } from './json/transcoder.ts';
export { arrayOf, mapEntry, mapWithout, stringOf } from './json/msgpack-slice.ts';
export * from './signing/agent-hash.ts';
export * from './signing/bytes.ts';
export * from './signing/canonical.ts';
export * from './signing/encode.ts';
export * from './signing/hash-envelope.ts';
export * from './signing/hasher.ts';
export * from './signing/multi-sig.ts';
export * from './signing/recover.ts';
export * from './signing/signature.ts';
export * from './signing/tx-hash.ts';
export * from './signing/typed-data.ts';
export { explainEnvelope, type Explanation } from './explain/explain-envelope.ts';
export type { ExplainContext } from './explain/subject.ts';
export { MISTAKES, type Mistake } from './explain/mistake.ts';
export * from './info/registry.ts';
export { refuseUnknownQuery } from './info/unknown-query.ts';
export * from './info/service-requests.ts';
export * from './info/account-answers.ts';
export * from './info/market-answers.ts';
export * from './info/order-answers.ts';
export * from './info/outcome-answers.ts';
export { receiptHash } from './info/receipt-hash.ts';
export * from './info/venue-answers.ts';
export { INTERVALS, Interval } from './info/market-queries.ts';
export * from './streams/channels.ts';
export * from './streams/frames.ts';
export * from './streams/parse-subscription.ts';
export * from './streams/rtds.ts';
