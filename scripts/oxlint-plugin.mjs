// Rules of this repository for oxlint: what its own rules cannot express.

/** Private words that STYLE.md replaces with the field's standard terms. */
const vocabulary = {
  /** Bare nouns and participles that several types could bear: `PublishedPart`, not `Part`; `RefundQuote`, not `Told`. */
  typeNames: new Set(
    // oxlint-disable-next-line switchboard/words -- the list itself
    `Answer Asked Begun Found Given Gone Kept Left Line Made Memory Noted Position Ran Said Setting Shown Strangers Taken Thing Told
    Wanted Wish Dialect Manner Doorkeeper Keysmith Taker Outrun PartingWords Superfluous Occasion Plain Little Tale`.split(
      /\s+/,
    ),
  ),
  /**
   * Only words of prose: not in code in backquotes, not a quoted name ("picture"), and not part of an address,
   * a path or a hyphenated identifier (@nobody, nobody.test, somebody-else).
   */
  words:
    /(?<![\w@/.-])(?:whoever|(?:no|some|any|every)body|by\s+hand|told|comes\s+of\s+it|stands|films?|pictures?|strangers?|lapsed?|outrun)(?![\w@/-]|\.\w)/i,
  quotedNames: /`[^`]*`|(["'])(?<!\w.)[^\s"']+\1(?!\w)/g,
};

const typeNames = {
  create(context) {
    const check = ({ id }) => {
      if (id && vocabulary.typeNames.has(id.name))
        context.report({
          node: id,
          message: `\`${id.name}\` says nothing about what it holds: qualify it.`,
        });
    };
    return { TSInterfaceDeclaration: check, TSTypeAliasDeclaration: check, ClassDeclaration: check };
  },
};

const words = {
  create(context) {
    const check = (node, text) => {
      const [word] = text.replace(vocabulary.quotedNames, '``').match(vocabulary.words) ?? [];
      if (word) context.report({ node, message: `Replace \`${word}\` with the field's standard term.` });
    };
    const checkProse = (node, text) => /\s/.test(text) && check(node, text);
    return {
      Program: () =>
        context.sourceCode
          .getAllComments()
          .forEach((comment) => check(comment, comment.value.replace(/\n\s*\*/g, ''))),
      Literal: (node) => typeof node.value === 'string' && checkProse(node, node.value),
      TemplateElement: (node) => checkProse(node, node.value.cooked ?? node.value.raw),
    };
  },
};

/** ESLint's `no-restricted-syntax`: the options are selectors with their messages. */
const restrictedSyntax = {
  meta: { schema: false },
  create(context) {
    return Object.fromEntries(
      context.options.map(({ selector, message }) => [selector, (node) => context.report({ node, message })]),
    );
  },
};

export default {
  meta: { name: 'switchboard' },
  rules: { 'type-names': typeNames, words, 'restricted-syntax': restrictedSyntax },
};
