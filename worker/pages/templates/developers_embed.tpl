<h1>{{TITLE}}</h1>
<p class="lead">Copy a code into your page, and the film plays. The blocks here are complete: paste one into an empty page to try it.</p>
{{#NO_EXAMPLE}}<p class="notice">Replace <code>{{MEDIA}}</code> by the id of a video: the last part of its address, <code>{{MEDIA_PAGE}}</code>.</p>
{{/NO_EXAMPLE}}<h2 id="responsive-code">Responsive</h2>
<p>The film is as wide as its place, in its own ratio, on phones too. This is the code to begin with:</p>
{{BLOCK_RESPONSIVE}}
<h2 id="container-width">A largest width</h2>
<p>The code fills its container. Limit the container, not the code:</p>
{{BLOCK_CONTAINER}}
<h2 id="portrait-films">Portrait and other ratios</h2>
<p>The code of each film has its ratio. If you write the frame yourself, set the ratio by <code>aspect-ratio</code>. A portrait film also needs a largest width, or it is higher than the window:</p>
{{BLOCK_PORTRAIT}}
<h2 id="fixed-size">A fixed size</h2>
<p>Where a page cannot take a responsive code, use one with a width and a height in pixels, as <a href="{{@DEVELOPERS}}/oembed">oEmbed</a> returns it:</p>
{{BLOCK_FIXED}}
<h2 id="lazy-loading">Below the fold</h2>
<p>With <code>loading=lazy</code> the browser fetches the player when the reader comes near:</p>
{{BLOCK_LAZY}}
<h2 id="script-code">Script and element</h2>
<p>The player is in your page itself, without a frame. Your scripts <a href="{{@DEVELOPERS}}/control">control it</a>. If your page has a policy, see <a href="{{@DEVELOPERS}}/policy">what it must allow</a>:</p>
{{BLOCK_ASYNC}}
<h2 id="popover-code">Popover</h2>
<p>A thumbnail that opens the player in a dialog:</p>
{{BLOCK_POPOVER}}
<h2 id="later-codes">Codes that a script adds</h2>
<p>Scripts within <code>innerHTML</code> do not run. Load the player once; codes that come later need nothing else. A player ends when its code leaves the page:</p>
{{BLOCK_LATER}}
<h2 id="choose">Which one?</h2>
<table><thead><tr><th scope="col">Code</th><th scope="col">Choose it if</th><th scope="col"><code>embedType</code></th></tr></thead>
<tbody>
<tr><td>Iframe</td><td>you do not know the page, or it is an editor of others</td><td><code>iframe</code></td></tr>
<tr><td>Script and element</td><td>the page is yours, and scripts control the player</td><td><code>async</code></td></tr>
<tr><td><a href="{{@DEVELOPERS}}/component">Web component</a></td><td>the page is made of components or templates</td><td><code>web_component</code></td></tr>
<tr><td>Popover</td><td>the page has little room</td><td><code>async_popover</code></td></tr>
<tr><td>OpenGraph tags</td><td>others link to your page and should show the film</td><td><code>open_graph_tags</code></td></tr>
</tbody></table>
