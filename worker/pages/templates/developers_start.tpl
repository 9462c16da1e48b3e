<h1>For developers</h1>
<p class="lead">Embed videos in any page, control the player, and let programs work with the media of an account.</p>
<h2 id="first-film">A film in your page</h2>
<p>Paste this where the film should be. It fills the width of its place, in the ratio of the film:</p>
{{BLOCK_RESPONSIVE}}
{{#NO_EXAMPLE}}<p class="notice">Replace <code>{{MEDIA}}</code> by the id of a video: the last part of its address.</p>
{{/NO_EXAMPLE}}<p>The <a href="{{@EMBED_CODES}}">page of embed codes</a> makes the code for any film and its options.</p>
<h2 id="first-request">Your first request</h2>
<ol>
<li>For a script of yours, make an <a href="{{@DEVELOPERS}}/scripts">account token</a> in <a href="{{@SETTINGS}}">the settings</a>. It takes a minute.</li>
<li>For a program that acts for its users, register an application there, and <a href="{{@DEVELOPER_OAUTH}}">get a token</a>, block by block in a shell.</li>
</ol>
<p>With the token as <code>$token</code>, use it:</p>
{{BLOCK_FIRST_USE}}
<h2 id="guides">All guides</h2>
<ul class="guide-cards">
{{#CARD}}<li><a href="{{PATH}}">{{TITLE}}</a><br><span class="meta">{{ABOUT}}</span></li>
{{/CARD}}</ul>
<h2 id="addresses">Addresses</h2>
<dl class="addresses">
<dt>Player and embed codes</dt><dd><code>{{EMBED_HOST}}</code></dd>
<dt>oEmbed</dt><dd><code>{{OEMBED_URL}}</code></dd>
<dt>Data API</dt><dd><code>{{API_HOST}}</code></dd>
<dt>OAuth 2 metadata</dt><dd><a href="{{METADATA_URL}}">{{METADATA_URL}}</a></dd>
<dt>OpenAPI 3.1</dt><dd><a href="{{DOCUMENT_URL}}">{{DOCUMENT_URL}}</a></dd>
</dl>
