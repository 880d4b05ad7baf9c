import { add, sign, subtract } from '../../../lib/decimal.ts';
import { money } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { accountStates } from '../../../market/account.ts';
import { useSettings } from '../../../market/queries.ts';
import { chainName, hasChain } from '../../../session/settlement-chain.ts';
import { Money } from '../../../ui/figure.tsx';
import { Stat } from '../../../ui/stat.tsx';
import { useChainBalance } from './use-chain-balance.ts';

/** What the account has, where it lies, and what of it can go. */
export function Balances({ user }: { readonly user: string }) {
  const t = useWords();
  const { data: settings } = useSettings();
  const perp = accountStates.use({ user, accountType: 'perp' }, ({ state }) => state);
  const outcome = accountStates.use({ user, accountType: 'outcome' }, ({ state }) => state);
  const chain = settings !== undefined && hasChain(settings) ? settings : undefined;
  const onChain = useChainBalance(chain, user);
  const [perpValue, outcomeValue] = [
    perp?.marginSummary.accountValue,
    outcome?.marginSummary.accountValue,
  ];
  const whole =
    perpValue === undefined || outcomeValue === undefined
      ? undefined
      : add(perpValue, outcomeValue);
  const held = perp && subtract(perp.accountValuePlusWithdrawHold, perp.marginSummary.accountValue);
  const free = (amount: string | undefined): string => t('account.free', { amount: money(amount) });
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 border-b border-line px-4 py-3 tablet:flex tablet:flex-wrap tablet:gap-x-10">
      <Stat unit="USDC" label={t('account.equity')} isLarge>
        <Money value={whole} />
      </Stat>
      <Stat unit="USDC" label={t('account.perp')} note={free(perp?.withdrawable)}>
        <Money value={perpValue} />
      </Stat>
      <Stat unit="USDC" label={t('account.outcome')} note={free(outcome?.withdrawable)}>
        <Money value={outcomeValue} />
      </Stat>
      {held !== undefined && sign(held) !== 0 && (
        <Stat unit="USDC" label={t('account.held')} note={t('account.heldText')}>
          <Money value={held} />
        </Stat>
      )}
      {chain !== undefined && (
        <Stat unit="USDC" label={t('account.onChain')} note={chainName(chain)}>
          <Money value={onChain} />
        </Stat>
      )}
    </dl>
  );
}
