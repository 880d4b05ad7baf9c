// Made by npm run write-shapes.
/** The EIP-712 structs of the direct actions, by action type. */
export const DIRECT_STRUCTS = {
  approveAgent: {
    name: 'ApproveAgent',
    fields: [
      ['serviceNetwork', 'string'],
      ['chainId', 'uint32'],
      ['apiVersion', 'uint32'],
      ['agentAddress', 'address'],
      ['agentName', 'string'],
      ['nonce', 'uint64'],
    ],
  },
  approveBuilderFee: {
    name: 'ApproveBuilderFee',
    fields: [
      ['serviceNetwork', 'string'],
      ['chainId', 'uint32'],
      ['apiVersion', 'uint32'],
      ['builder', 'address'],
      ['maxFeeRate', 'string'],
      ['nonce', 'uint64'],
    ],
  },
  revokeBuilderFee: {
    name: 'RevokeBuilderFee',
    fields: [
      ['serviceNetwork', 'string'],
      ['chainId', 'uint32'],
      ['apiVersion', 'uint32'],
      ['builder', 'address'],
      ['nonce', 'uint64'],
    ],
  },
  tokenSend: {
    name: 'TokenSend',
    fields: [
      ['serviceNetwork', 'string'],
      ['chainId', 'uint32'],
      ['apiVersion', 'uint32'],
      ['destination', 'address'],
      ['token', 'uint32'],
      ['amount', 'string'],
      ['fromAccountType', 'string'],
      ['toAccountType', 'string'],
      ['nonce', 'uint64'],
    ],
  },
  withdraw3: {
    name: 'Withdraw3',
    fields: [
      ['serviceNetwork', 'string'],
      ['chainId', 'uint32'],
      ['apiVersion', 'uint32'],
      ['destination', 'address'],
      ['amount', 'string'],
      ['nonce', 'uint64'],
    ],
  },
  convertToMultiSigUser: {
    name: 'ConvertToMultiSigUser',
    fields: [
      ['serviceNetwork', 'string'],
      ['chainId', 'uint32'],
      ['apiVersion', 'uint32'],
      ['signers', 'string'],
      ['nonce', 'uint64'],
    ],
  },
} as const;

/** The types that only listed signers may send. Their bodies may be larger. */
export const PERMISSIONED_TYPES = ['outcomeDeploy', 'venueAdmin'] as const;

/** The types that trade at the prices of the moment. Clients let them expire by default. */
export const TRADING_TYPES: readonly string[] = [
  'order',
  'modify2',
  'outcomeOperate',
  'reversePosition',
];
