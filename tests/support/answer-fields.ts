import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API, type Checker, type Type } from 'typescript/unstable/sync';

const ROOT = join(import.meta.dirname, '..', '..');
const PROJECT = join(ROOT, 'packages/protocol/tsconfig.json');
const ANSWERS = join(ROOT, 'packages/protocol/src/info/registry.ts');

/**
 * Returns the field names of each /info answer by query type, including those of nested objects and
 * rows. The compiler reads them from the type definitions.
 */
export function answerFields(): ReadonlyMap<string, ReadonlySet<string>> {
  const api = new API({ cwd: ROOT });
  try {
    const [project] = api.updateSnapshot({ openProject: PROJECT }).getProjects();
    const checker = project!.checker;
    const at = readFileSync(ANSWERS, 'utf8').indexOf('InfoAnswers = {');
    const answers = checker.getDeclaredTypeOfSymbol(checker.getSymbolAtPosition(ANSWERS, at)!);
    return new Map(
      checker.getPropertiesOfType(answers!).map((query) => {
        const fields = new Set<string>();
        collect(checker, checker.getTypeOfSymbol(query)!, fields, new Set());
        return [query.name, fields];
      }),
    );
  } finally {
    api.close();
  }
}

function collect(checker: Checker, type: Type, fields: Set<string>, seen: Set<number>): void {
  if (seen.has(type.id)) return;
  seen.add(type.id);
  if (type.isUnionType()) {
    for (const each of type.getTypes()) collect(checker, each, fields, seen);
    return;
  }
  if (type.isTypeReference() && (checker.isArrayType(type) || checker.isTupleType(type))) {
    for (const each of checker.getTypeArguments(type)) collect(checker, each, fields, seen);
    return;
  }
  if (!type.isObjectType() && !type.isIntersectionType()) return;
  for (const property of checker.getPropertiesOfType(type)) {
    fields.add(property.name);
    collect(checker, checker.getTypeOfSymbol(property)!, fields, seen);
  }
}
