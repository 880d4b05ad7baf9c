import { AddressLink } from './address-link.tsx';
import { SimulatedBadge } from './simulated-badge.tsx';

/** An account and the way to it; those of the venue itself say so. */
export function Who({
  user,
  isSimulated,
}: {
  readonly user: string;
  readonly isSimulated: boolean;
}) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <AddressLink address={user} />
      {isSimulated && <SimulatedBadge />}
    </span>
  );
}
