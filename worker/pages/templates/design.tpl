<h1>Design</h1>
<p>Every part of these pages. What is here is what a page may use.</p>
<section aria-labelledby="type"><h2 id="type">Type</h2>
<p>Text of a page, with <a href="#type">a link</a>, <strong>an important word</strong>, <code>code</code> and a word in <bdi>עברית</bdi>.</p>
<p class="meta">A remark beside something else.</p>
<h3>A heading of the third level</h3>
<blockquote>A text that somebody else wrote.</blockquote>
<pre><code>curl -fsS "https://media.example/oembed?url=…"</code></pre>
<ol>
<li>The first step</li>
<li>The second step</li>
</ol></section>
<section aria-labelledby="buttons"><h2 id="buttons">Buttons</h2>
<p class="links"><button type="button" class="primary">Primary</button> <button type="button">Plain</button> <button type="button" class="danger">Deletes something</button> <a class="button" href="#buttons">A link</a> <button type="button" aria-disabled="true">Not yet</button> <button type="button" class="link">Like a link</button></p></section>
<section aria-labelledby="fields"><h2 id="fields">Fields</h2>
<p><label for="text">Text</label>
<input id="text" value="A value" autocomplete="off" aria-describedby="text-hint">
<span class="meta" id="text-hint">What it is for</span></p>
<p><label for="wrong">Text with a problem</label>
<input id="wrong" value="640x" autocomplete="off" aria-invalid="true" aria-describedby="wrong-problem">
<span class="field-problem" id="wrong-problem">Enter a whole number of pixels from 1 to 10,000.</span></p>
<p><label for="lines">Several lines</label>
<textarea id="lines" rows="3">A longer text</textarea></p>
<p><label for="copied">To be copied</label>
<input id="copied" class="code" value="l4unchf1lm" readonly></p>
<p><label for="one">One of several</label>
<select id="one"><option>The first</option><option>The second</option></select></p>
<p><label for="file">File</label>
<input type="file" id="file"></p>
<fieldset><legend>Choices</legend>
<label class="choice"><input type="radio" name="radio" checked> <span>The first<br><span class="meta">With a remark</span></span></label>
<label class="choice"><input type="radio" name="radio"> <span>The second</span></label>
<label class="choice"><input type="checkbox" checked> <span>Checked</span></label>
<label class="choice"><input type="checkbox" disabled> <span>Not possible</span></label></fieldset>
<p><label for="progress">Progress</label>
<progress id="progress" max="100" value="40"></progress></p>
<details><summary>More options</summary>
<p>What is needed less often.</p></details></section>
<section aria-labelledby="notices"><h2 id="notices">Notices</h2>
<p class="notice">Something to know.</p>
<p class="notice" role="status">The changes are saved.</p>
<div class="problem"><p>Nothing has been saved yet:</p><ul><li><a href="#wrong">Enter a width.</a></li></ul></div>
<p class="caution"><strong>Full access:</strong> what can go wrong.</p></section>
<section aria-labelledby="tables"><h2 id="tables">Tables</h2>
<table><thead><tr><th scope="col">Name</th><th scope="col">Value</th></tr></thead>
<tbody>
<tr><td>Width</td><td><code>640</code></td></tr>
<tr><td>Height</td><td><code>360</code></td></tr>
</tbody></table>
<dl>
<dt>A term</dt>
<dd>What it means</dd>
</dl></section>
<section aria-labelledby="diagrams"><h2 id="diagrams">Numbers and diagrams</h2>
<dl class="numbers">
<div><dt>Plays</dt><dd>1,204</dd></div>
<div><dt>Plays per load</dt><dd>75%</dd></div>
</dl>
<figure class="chart">
<figcaption>Plays per day</figcaption>
<div class="plot"><p class="scale" aria-hidden="true"><span>4</span><span>2</span><span>0</span></p>
<svg role="img" aria-label="Plays per day: 9 in all, most on 3 March 2026 (4)" viewBox="0 0 5 100" preserveAspectRatio="none"><path class="grid" d="M0 0h5M0 50h5M0 100h5"/><path class="bars" d="M0.1 100V75h.8V100zM1.1 100V50h.8V100zM2.1 100V0h.8V100zM4.1 100V50h.8V100z"/></svg>
<p class="times" aria-hidden="true"><span>1 March 2026</span><span>5 March 2026</span></p></div>
</figure>
<figure class="chart">
<figcaption>Share of the plays that saw each part</figcaption>
<div class="plot"><p class="scale" aria-hidden="true"><span>100%</span><span>50%</span><span>0</span></p>
<svg role="img" aria-label="Share of 4 plays that saw each part: 100% the beginning, 50% the end" viewBox="0 0 4 100" preserveAspectRatio="none"><path class="grid" d="M0 0h4M0 50h4M0 100h4"/><path class="seen" d="M0 100V0h1V25h1V50h2V100z"/><path class="again" d="M0 100V100h1V75h1V100z"/></svg>
<p class="times" aria-hidden="true"><span>0:00</span><span>0:50</span><span>1:40</span></p></div>
</figure>
<p class="legend"><span><svg viewBox="0 0 10 10" aria-hidden="true"><path class="seen" d="M0 0h10v10h-10z"/></svg> saw it</span> <span><svg viewBox="0 0 10 10" aria-hidden="true"><path class="again" d="M0 0h10v10h-10z"/></svg> saw it more than once</span></p></section>
<h2 id="cards">Cards</h2>
<ul class="cards">
<li class="card"><h3><a href="#cards">A way on</a></h3><p>Where it leads, in a line or two.</p></li>
<li class="card"><h3><a href="#cards">Another</a></h3><p>The whole card can be clicked.</p></li>
</ul>
<h2 id="lists">Lists</h2>
<ul class="list">
<li class="film"><span class="picture" aria-hidden="true">Video</span><div><h3><a href="#lists">A video in a list</a></h3><p class="meta">Video, 2:03 · 3 days ago</p></div></li>
<li><a href="#lists">An entry of a list</a><p class="meta">With a remark</p></li>
</ul>
<h2 id="none">Empty states</h2>
<div class="empty"><p>Nothing was uploaded yet.</p><p><a class="button" href="#none">Upload a file</a></p></div>
