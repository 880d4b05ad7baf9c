import type {
  CreditDepositCommand,
  OpenBridgeCommand,
  SettleWithdrawalCommand,
  State,
} from '@oddlot/engine';
import type { Projection } from '@oddlot/venue/replay';

/**
 * What the settlement chain says to commands that rest on it: why one does not stand, or undefined. Throws a NotYetError
 * while the chain can't be asked, or has not come as far as the log says.
 */
export type ChainEvidence = {
  /** Snapshots hold what it dumps. */
  readonly projection: Projection;
  bridgeFault(command: OpenBridgeCommand): Promise<string | undefined>;
  depositFault(command: CreditDepositCommand, state: State): Promise<string | undefined>;
  settlementFault(command: SettleWithdrawalCommand, state: State): Promise<string | undefined>;
};
