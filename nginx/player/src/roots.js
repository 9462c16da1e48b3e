// roots: the methods of nodes that may have codes: the document, an element or a shadow root. Elements of the page with
// the name of a method hide it in the document, and the fields of a form hide those of the form.
export const methods = (root) =>
  root === document ? Document.prototype : root instanceof Element ? Element.prototype : root;
const shadow = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot').get;
export const treeOf = (element) => shadow.call(element);
export const every = (root, selector) => [...methods(root).querySelectorAll.call(root, selector)];
