import { Link } from '@tanstack/react-router';
import { useWords } from '../../lib/words.ts';
import { useSession } from '../../session/use-session.ts';

/** The way to more money, for who can sign for it. */
export function Deposit() {
  const t = useWords();
  const session = useSession();
  if (session === undefined || session.kind === 'spectator') return null;
  return (
    <Link
      to="/account"
      className="flex h-8 items-center rounded border border-line bg-raised px-3 text-13 hover:border-faint max-tablet:hidden"
    >
      {t('header.deposit')}
    </Link>
  );
}
