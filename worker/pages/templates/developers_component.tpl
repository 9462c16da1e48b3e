<h1>{{TITLE}}</h1>
<p class="lead">The element <code>svc-player</code> is a player like any element of HTML: in templates, shadow roots and frameworks.</p>
<h2 id="element-code">Element</h2>
<p>Load the script once, anywhere in the page, and write the element where the film should be:</p>
{{BLOCK_ELEMENT}}
<p><code>player.js</code> is the newest version. <code>player@1.js</code> in its place keeps its interface.</p>
<h2 id="element-place">Its place</h2>
<p>A rule in your style sheet keeps the place of all elements while the script loads, and needs no inline style:</p>
{{BLOCK_ELEMENT_STYLE}}
<h2 id="element-scripts">Scripts</h2>
<p>Properties, methods and events are as those of <code>&lt;video&gt;</code>, also before the player is loaded:</p>
{{BLOCK_ELEMENT_CONTROL}}
<p>Its methods are those of <a href="{{@DEVELOPERS}}/control#methods">the handle</a>. It also has the events of the handle that <code>&lt;video&gt;</code> lacks; their <code>detail</code> is an array of the parameters.</p>
<h2 id="attributes">Attributes</h2>
<dl class="options">
{{#ATTRIBUTE}}<dt>{{NAME}}</dt>
<dd>{{TEXT}}</dd>
{{/ATTRIBUTE}}</dl>
<h2 id="properties">Properties</h2>
<dl class="options">
{{#PROPERTY}}<dt>{{NAME}}</dt>
<dd>{{TEXT}}</dd>
{{/PROPERTY}}</dl>
<h2 id="frameworks">React and Vue</h2>
<p>React 19 and Vue 3 know custom elements. The types of the element, for TypeScript, JSX and Vue, are in a package of this service:</p>
{{BLOCK_TYPES}}
<p>A component of React, <code>Film.tsx</code>, which loads the script once, however many films a page has. Without TypeScript, leave the types away. It also works in a page that a server has rendered: there, React sets no listeners such as <code>onsecondchange</code> on custom elements, so the component adds its own:</p>
{{BLOCK_REACT}}
<p>React sets what is <code>false</code> only on elements that are defined: write <code>playbar="false"</code>.</p>
<p>A component of Vue. The script is that of the first block of this page, in <code>index.html</code>:</p>
{{BLOCK_VUE}}
<p><code>import type {} from 'svc-player/vue'</code> in a file of the project declares the element for templates. The build has to know its name:</p>
{{BLOCK_VUE_CONFIG}}
