// trees: the document and its open shadow roots, in which a page may have codes.
import { every } from '../roots.js';

const trees = new Set([document]);

// Returns false if the tree is known.
export function enter(tree) {
  return !trees.has(tree) && Boolean(trees.add(tree));
}

// All elements of these trees that match.
export function everywhere(selector) {
  for (const tree of trees) if (tree !== document && !tree.host.isConnected) trees.delete(tree);
  return [...trees].flatMap((tree) => every(tree, selector));
}
