/** The id of the network whose money is real; its venues go by names of their own. */
const MAINNET_ID = 869;

/** Whether money is not real, by what the venue says of itself; unknown until it has said it. */
export function isTestnet(settings: { readonly chain_id: number } | undefined): boolean {
  return settings !== undefined && settings.chain_id !== MAINNET_ID;
}
