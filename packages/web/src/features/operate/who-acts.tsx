import { lazy, Suspense, useState } from 'react';
import { short } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { putOperatorKeyAway } from './operator-key.ts';
import type { Hindrance, Operator } from './use-operator.ts';

const OpenKey = lazy(async () => ({ default: (await import('./open-key.tsx')).OpenKey }));

/** Under whose name it is operated here, or why it is not. */
export function WhoActs({ operator }: { readonly operator: Operator }) {
  const t = useWords();
  const [isOpening, setIsOpening] = useState(false);
  const { address, hindrance, isAdmin, isByKey, isDeployer } = operator;
  return (
    <>
      {address !== undefined && hindrance === undefined && (
        <span className="flex flex-wrap items-center gap-2 text-12">
          <span className="font-mono text-muted max-tablet:hidden">{short(address)}</span>
          {isAdmin && <Badge tone="accent">{t('operate.youAdmin')}</Badge>}
          {isDeployer && <Badge tone="accent">{t('operate.youDeployer')}</Badge>}
        </span>
      )}
      <span className="ms-auto">
        {isByKey ? (
          <Button size="small" onClick={putOperatorKeyAway}>
            {t('operate.putKeyAway')}
          </Button>
        ) : (
          hindrance !== undefined && (
            <Button size="small" onClick={() => setIsOpening(true)}>
              {t('operate.openKey')}
            </Button>
          )
        )}
      </span>
      <p className="w-full text-12 text-muted">
        {hindrance === undefined
          ? t(isByKey ? 'operate.introKey' : 'operate.intro')
          : hindranceText(hindrance, t)}
      </p>
      {isOpening && (
        <Suspense fallback={null}>
          <OpenKey onClose={() => setIsOpening(false)} />
        </Suspense>
      )}
    </>
  );
}

function hindranceText(hindrance: Hindrance, t: Words): string {
  switch (hindrance.why) {
    case 'nobody':
      return t('operate.hindrance.nobody');
    case 'notOperator':
      return t('operate.hindrance.notOperator', { address: short(hindrance.address) });
    case 'noKey':
      return t('operate.hindrance.noKey', { address: short(hindrance.address) });
    case 'chain':
      return t('operate.hindrance.chain', { own: hindrance.own, venue: hindrance.venue });
  }
}
