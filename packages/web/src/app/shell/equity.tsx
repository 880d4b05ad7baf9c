import { useWords } from '../../lib/words.ts';
import { accountStates } from '../../market/account.ts';
import { useSession } from '../../session/use-session.ts';
import { add } from '../../lib/decimal.ts';
import { Money } from '../../ui/figure.tsx';

/** What the account is worth, both halves of it. */
export function Equity() {
  const t = useWords();
  const user = useSession()?.address;
  const perp = accountStates.use(
    user === undefined ? undefined : { user, accountType: 'perp' },
    ({ state }) => state?.marginSummary.accountValue,
  );
  const outcome = accountStates.use(
    user === undefined ? undefined : { user, accountType: 'outcome' },
    ({ state }) => state?.marginSummary.accountValue,
  );
  if (user === undefined || perp === undefined || outcome === undefined) return null;
  return (
    <span className="text-13 whitespace-nowrap text-muted">
      <span className="max-desktop:hidden">{t('header.equity')} </span>
      <span className="text-text">
        <Money value={add(perp, outcome)} />
      </span>
    </span>
  );
}
