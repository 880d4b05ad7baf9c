/** Of `packages/protocol/src`: texts and numbers of the wire below requests, and those below what is asked and told. */
export const PROTOCOL_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'door', paths: ['index.ts'], what: 'what other packages see' },
  {
    name: 'around',
    paths: ['explain/', 'streams/'],
    what: 'why a signature is not what it should be; channels and their frames',
  },
  { name: 'info', paths: ['info/'], what: 'questions and their answers' },
  {
    name: 'requests',
    paths: ['unknown-fields.ts', 'plain/'],
    what: 'fields that nobody knows; orders without extras, read in one pass',
  },
  {
    name: 'signing',
    paths: ['signing/', 'check-binding.ts', 'parse.ts'],
    what: 'what is hashed, signed and recovered; what a vault binds; text to a request',
  },
  {
    name: 'actions',
    paths: ['actions/', 'shapes/', 'to-wire-error.ts'],
    what: 'every signed write; what clients know of requests; refusals as they are sent',
  },
  {
    name: 'parts',
    paths: ['primitives.ts', 'json/'],
    what: 'addresses, decimals, times; JSON and MessagePack in one pass',
  },
  { name: 'refusals', paths: ['refusal.ts'], what: 'a refusal with its text and details' },
  {
    name: 'texts',
    paths: ['message-groups.ts', 'limits.ts', 'field-path.ts'],
    what: 'texts by error; bounds; where in a request',
  },
  {
    name: 'ground',
    paths: [
      'bytes.ts',
      'canonical-decimal.ts',
      'errors.ts',
      'shared-texts.ts',
      'client-limits.ts',
      'signature-schema.ts',
      'version.ts',
      'nearest-name.ts',
      'service-name.ts',
      'max-fee-rate.ts',
    ],
    what: 'byte strings; one spelling of a decimal; the table of errors; texts, bounds and names that others need',
  },
];
