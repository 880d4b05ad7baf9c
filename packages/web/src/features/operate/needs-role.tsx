import { useWords } from '../../lib/words.ts';

/** What stands where an operator would have buttons: whose key it takes. */
export function NeedsRole({ who }: { readonly who: 'admin' | 'deployer' }) {
  const t = useWords();
  return (
    <p className="border-b border-line px-4 py-2 text-12 text-muted">
      {t(who === 'admin' ? 'operate.needsAdmin' : 'operate.needsDeployer')}
    </p>
  );
}
