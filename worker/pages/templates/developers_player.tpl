<h1>{{TITLE}}</h1>
<p class="lead">Options change how the player looks and plays. Add them to a code, or set them for a film once, for all codes.</p>
<h2 id="in-a-code">In a code</h2>
<p>In an iframe code, options are in the query of its address:</p>
{{BLOCK_OPTIONS_IFRAME}}
<p>In a script code, they are words in the class:</p>
{{BLOCK_OPTIONS_ASYNC}}
<p>The <a href="{{@EMBED_CODES}}">page of embed codes</a> has a form for them, and <a href="{{@DEVELOPERS}}/oembed">oEmbed</a> takes them as parameters.</p>
<h2 id="for-a-film">For a film</h2>
<p>A film has options of its own: under “Player” in its settings, or by <a href="{{@DEVELOPERS}}/api#customizations">the data API</a>. They apply in every code of the film. An option that a code has is the code’s, whatever its value.</p>
<h2 id="options">All options</h2>
<dl class="options">
{{#OPTION}}<dt>{{#NAME}}<code>{{CODE}}</code> {{/NAME}}</dt>
<dd>{{EFFECT}}.{{#VALUES}}<br><span class="meta">{{WORDS}}</span>{{/VALUES}}</dd>
{{/OPTION}}</dl>
