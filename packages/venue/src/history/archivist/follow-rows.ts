import type { FollowingReplica } from '../../replica/following-replica.ts';
import type { BlockRows } from '../rows/block-rows.ts';
import { FollowedModels } from './followed-models.ts';

/**
 * Makes the rows of every block that a replica applies, for who compares them with what somebody tells; nothing is
 * stored. To be called before the replica goes to its first block.
 */
export function followRows(
  replica: FollowingReplica,
  onRows: (rows: BlockRows) => void,
): FollowedModels {
  // Rows of orders that live on are for subscribers, and there are none here.
  return new FollowedModels(replica, { onRows, isTold: () => false });
}
